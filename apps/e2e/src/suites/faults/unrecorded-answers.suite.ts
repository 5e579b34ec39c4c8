import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { updateTenantRoute } from '@candor/contracts';
import { waitFor, type ApiClient, type ModelCall, type ScriptedModelServer } from '@candor/testkit';
import { readActions } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { countTried } from '../../harness/fault-ledger.js';
import { ingestOne } from '../../harness/ingest.js';
import { quoteFirst } from '../../harness/quote-first.js';
import type { FaultyWorld } from '../../harness/start-behind-proxies.js';
import { createTenant } from '../../harness/tenants.js';

const PROMISE = 'Postgres down';

/** Postgres away while a question that was let in is with the model: there is an answer, and nowhere to record it. */
export function describeUnrecordedAnswers(world: () => FaultyWorld, model: () => ScriptedModelServer): void {
  describe('Postgres, with a question under way', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Unrecorded')).admin;
      await client.call(updateTenantRoute, { body: { externalModels: true } });
      await ingestOne(client, {
        title: 'Drawbridge of Hestnes',
        body: 'The drawbridge of Hestnes opens at low tide.',
        accessPolicy: { provider: 'slack', mode: 'provider_scope' },
      });
    });
    afterEach(() => world().postgres.restore());

    it('gone between asking and answering: no answer without its event', async () => {
      const held: { call: ModelCall; response: ServerResponse }[] = [];
      model().play((call, response) => void held.push({ call, response }));
      const asked = client.post('/v1/reason', { query: 'When does the drawbridge of Hestnes open?' });
      // By then the key has been checked and the question is in the trail.
      await waitFor(() => held.length === 1, { what: 'the question to be with the model' });
      await world().postgres.cut();
      for (const { call, response } of held) quoteFirst(call, response);
      const response = await asked;
      countTried(PROMISE, 'answers that could not be recorded', 1, response.status === 503 ? 0 : 1);
      expectError(response, {
        status: 503,
        type: 'DEPENDENCY.DATABASE_UNAVAILABLE',
        message: 'The database cannot be reached.',
      });
      expect(response.text).not.toContain('low tide');
      await world().postgres.restore();
      const actions = await waitFor(() => readActions(client, response.requestId), { what: 'the trail' });
      expect(actions).toEqual(['reason.requested']);
    }, 120_000);
  });
}
