import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { searchRoute, updateTenantRoute, type ResponseOf } from '@candor/contracts';
import {
  closeSocket,
  hang,
  waitFor,
  type ApiClient,
  type ApiResponse,
  type ScriptedModelServer,
} from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { expectServed } from '../../harness/fault-ledger.js';
import { ingestOne } from '../../harness/ingest.js';
import { quoteFirst } from '../../harness/quote-first.js';
import type { FaultyWorld } from '../../harness/start-behind-proxies.js';
import { createTenant } from '../../harness/tenants.js';

const PROMISE = 'A slow or dead model';
const QUERY = 'How long is the ropeway of Nordal?';
/** Of the circuit before the model; its time until another try is 30 s. */
const FAILURES_UNTIL_OPEN = 10;

/** A slow or a dead model. Needs one question at a time (`REASON_CONCURRENCY=1`) and a reason deadline of `deadlineMs`. */
export function describeModelOutage(
  world: () => FaultyWorld,
  model: () => ScriptedModelServer,
  deadlineMs: number,
): void {
  describe('the model', () => {
    let busy: ApiClient;
    let other: ApiClient;

    beforeAll(async () => {
      const ropeway = {
        title: 'Ropeway of Nordal',
        body: 'The ropeway of Nordal is 1,420 meters long.',
        accessPolicy: { provider: 'slack', mode: 'provider_scope' } as const,
      };
      busy = (await createTenant(world(), 'Busy')).admin;
      other = (await createTenant(world(), 'Patient')).admin;
      for (const client of [busy, other]) await client.call(updateTenantRoute, { body: { externalModels: true } });
      await Promise.all([ingestOne(busy, ropeway), ingestOne(other, ropeway)]);
    });
    beforeEach(() => model().play(quoteFirst));

    const ask = (client: ApiClient) => client.post('/v1/reason', { query: QUERY });
    async function search(): Promise<void> {
      const searches = [other.post(searchRoute.path, { query: QUERY })];
      const [answer] = await expectServed(PROMISE, 'searches without the model', searches);
      expect((answer?.body as ResponseOf<typeof searchRoute>).hits).toHaveLength(1);
    }

    it('slow, and one tenant asks much: another’s first question does not wait for all of that', async () => {
      model().play((call, response) => void delay(600).then(() => quoteFirst(call, response)));
      const finished: string[] = [];
      const asked = async (name: string, client: ApiClient): Promise<ApiResponse> => {
        const response = await ask(client);
        finished.push(name);
        return response;
      };
      const flood = Array.from({ length: 8 }, () => asked('busy', busy));
      await waitFor(() => model().calls.length > 0, { what: 'the flood' });
      await expectServed(PROMISE, 'questions to a slow model', [...flood, asked('other', other)]);
      // One may be at the model already, and one more be taken before the question arrives.
      expect(finished.indexOf('other')).toBeLessThanOrEqual(2);
    }, 60_000);

    it(
      'hanging: an error at the deadline, and searches go on',
      async () => {
        model().play(hang);
        const startedAt = performance.now();
        const pending = ask(busy);
        await search();
        expectError(await pending, { status: 504, type: 'DEADLINE.EXCEEDED' });
        expect(performance.now() - startedAt).toBeLessThan(deadlineMs + 2_000);
      },
      deadlineMs + 30_000,
    );

    it('dead: errors, then a circuit that refuses at once without a call, and closes by itself', async () => {
      model().play(closeSocket);
      for (let failures = 0; failures < FAILURES_UNTIL_OPEN; failures += 1)
        expectError(await ask(busy), { status: 502, type: 'SYNTHESIS.PROVIDER_ERROR' });
      const calls = model().calls.length;
      const refused = await ask(other);
      expectError(refused, { status: 503, type: 'SYNTHESIS.CIRCUIT_OPEN' });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(model().calls).toHaveLength(calls);
      await search();

      model().play(quoteFirst);
      await waitFor(async () => (await ask(other)).status === 200, { what: 'a closed circuit', timeoutMs: 90_000 });
    }, 180_000);
  });
}
