import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  NO_EVIDENCE_ANSWER,
  revokeApiKeyRoute,
  updateApiKeyRoute,
  updateTenantRoute,
  type ReasonData,
} from '@candor/contracts';
import {
  readShownChunks,
  waitFor,
  type ApiClient,
  type ApiResponse,
  type ModelCall,
  type ScriptedModelServer,
} from '@candor/testkit';
import { readEvents, waitForEvent } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingestOne, push } from '../../harness/ingest.js';
import { quoteFirst } from '../../harness/quote-first.js';
import type { FaultyWorld } from '../../harness/start-behind-proxies.js';
import { createKey, createTenant } from '../../harness/tenants.js';

const QUERY = 'What is the depth of the quarry lake of Ulvedal?';
const PRINCIPAL = 'user:diver@lake.example';

/** In an object, so that awaiting the start does not await the answer. */
interface Pending {
  answer: Promise<ApiResponse>;
}

/**
 * Questions that wait in the queue behind a slow one, while what they may see is taken away. Needs one question at a
 * time (`REASON_CONCURRENCY=1`), a scripted model and a reason deadline of `deadlineMs`.
 */
export function describeWaitingRequests(
  world: () => FaultyWorld,
  model: () => ScriptedModelServer,
  deadlineMs: number,
): void {
  describe('requests that wait in the queue', () => {
    let client: ApiClient;
    let itemId: string;
    const held: { call: ModelCall; response: ServerResponse }[] = [];

    beforeAll(async () => {
      client = (await createTenant(world(), 'Waiting')).admin;
      await client.call(updateTenantRoute, { body: { externalModels: true } });
      itemId = await ingestOne(client, lake('lake'));
    });
    afterEach(() => release());

    function lake(externalId: string, principal = PRINCIPAL) {
      return {
        externalId,
        title: `Quarry lake of Ulvedal, ${externalId}`,
        body: `The quarry lake of Ulvedal is 31 meters deep, says the ${externalId}.`,
        accessPolicy: { provider: 'slack' as const, mode: 'acl' as const, principals: [principal] },
      };
    }

    /** Occupies the one slot; everything asked meanwhile waits. */
    async function occupy(): Promise<Pending> {
      model().play((call, response) => void held.push({ call, response }));
      const answer = client.post('/v1/reason', { query: QUERY, documentId: itemId });
      await waitFor(() => held.length === 1, { what: 'the slow question' });
      model().play(quoteFirst);
      return { answer };
    }
    function release(): void {
      for (const { call, response } of held.splice(0)) quoteFirst(call, response);
    }
    /** Asked, and written down as waiting. */
    async function askBehind(asker: ApiClient, signal?: AbortSignal): Promise<Pending & { requestId: string }> {
      const requestId = randomUUID();
      const headers = { 'x-request-id': requestId };
      const answer = asker.send('POST', '/v1/reason', {
        body: { query: QUERY },
        headers,
        ...(signal ? { signal } : {}),
      });
      answer.catch(() => undefined);
      await waitForEvent(client, { requestId, action: 'reason.requested' });
      return { answer, requestId };
    }

    it('are answered one after the other', async () => {
      const slow = await occupy();
      const waiting = await askBehind(client);
      await delay(300);
      expect(model().calls).toEqual([]);
      release();
      expect((await slow.answer).status).toBe(200);
      expect((await waiting.answer).status).toBe(200);
      expect(model().calls).toHaveLength(1);
    });

    it('are refused when their key was revoked meanwhile', async () => {
      const key = await createKey(client);
      const slow = await occupy();
      const waiting = await askBehind(key.client);
      await client.call(revokeApiKeyRoute, { params: { id: key.id } });
      release();
      const response = await waiting.answer;
      expectError(response, { status: 401, type: 'AUTH.INVALID_KEY' });
      expect(model().calls).toEqual([]);
      expect((await slow.answer).status).toBe(200);
      const events = await readEvents(client, response.requestId);
      expect(events.map((event) => event.action)).toEqual(['reason.requested', 'reason.answer']);
    });

    it('obey a principal that was taken away meanwhile', async () => {
      const key = await createKey(client, { principals: [PRINCIPAL] });
      const slow = await occupy();
      const waiting = await askBehind(key.client);
      await client.call(updateApiKeyRoute, { params: { id: key.id }, body: { principals: [] } });
      release();
      const { data } = (await waiting.answer).body as { data: ReasonData };
      expect(data.answer).toBe(NO_EVIDENCE_ANSWER);
      expect((await slow.answer).status).toBe(200);
    });

    it('obey a policy that was narrowed meanwhile', async () => {
      const narrowed = await ingestOne(client, lake('narrowed note'));
      const key = await createKey(client, { principals: [PRINCIPAL] });
      expect((await key.client.get(`/v1/source-items/${narrowed}`)).status).toBe(200);
      const slow = await occupy();
      const waiting = await askBehind(key.client);
      const { items } = await push(client, [lake('narrowed note', 'user:warden@lake.example')]);
      expect(items).toMatchObject([{ sourceItemId: narrowed, status: 'accepted', version: 1 }]);
      release();
      const { status, text } = await waiting.answer;
      expect([status, text]).toEqual([200, expect.stringContaining('says the lake')]);
      expect(text).not.toContain('narrowed note');
      // Not even the model was shown it.
      expect(model().calls.map(readShownChunks).flat()).toEqual([
        expect.objectContaining({ content: expect.stringContaining('says the lake') }),
      ]);
      expect((await slow.answer).status).toBe(200);
    });

    it('never quote what was deleted meanwhile', async () => {
      const doomed = await ingestOne(client, lake('doomed note'));
      const slow = await occupy();
      const waiting = await askBehind(client);
      expect((await client.delete(`/v1/source-items/${doomed}`)).status).toBe(202);
      release();
      expect((await waiting.answer).text).not.toContain('doomed note');
      expect((await slow.answer).status).toBe(200);
    });

    it('are dropped, unrun, when their caller hangs up', async () => {
      const slow = await occupy();
      const controller = new AbortController();
      const { answer, requestId } = await askBehind(client, controller.signal);
      controller.abort();
      await expect(answer).rejects.toThrow();
      await waitForEvent(client, { requestId, action: 'reason.answer' });
      release();
      expect((await slow.answer).status).toBe(200);
      const next = await client.post('/v1/reason', { query: QUERY });
      expect(next.status).toBe(200);
      expect(model().calls).toHaveLength(1);
    });

    it(
      'end at their deadline when nobody takes them, and are not answered afterwards',
      async () => {
        const [synthesis] = await world().running.findService('synthesis');
        if (synthesis === undefined) throw new Error('there is no synthesis');
        process.kill(synthesis, 'SIGSTOP');
        try {
          model().play(quoteFirst);
          const { answer } = await askBehind(client);
          expectError(await answer, { status: 504, type: 'DEADLINE.EXCEEDED' });
        } finally {
          process.kill(synthesis, 'SIGCONT');
        }
        await waitFor(async () => (await client.post('/v1/reason', { query: QUERY })).status === 200, {
          what: 'the next answer',
        });
        // The job that nobody waits for any more was dropped before the model heard of it.
        expect(model().calls).toHaveLength(1);
      },
      deadlineMs + 60_000,
    );

    it('are lost with synthesis: 504 at the deadline, and not asked a second time', async () => {
      const slow = await occupy();
      const [synthesis] = await world().running.findService('synthesis');
      if (synthesis === undefined) throw new Error('there is no synthesis');
      process.kill(synthesis, 'SIGKILL');
      const response = await slow.answer;
      expectError(response, { status: 504, type: 'DEADLINE.EXCEEDED' });
      held.splice(0);
      await waitFor(async () => (await client.post('/v1/reason', { query: QUERY })).status === 200, {
        what: 'another synthesis',
        timeoutMs: 120_000,
      });
      // The lost question was never put to the model again; only the new ones were.
      const asked = model().calls.filter((call) => readShownChunks(call).length > 0);
      expect(asked).toHaveLength(1);
    }, 240_000);
  });
}
