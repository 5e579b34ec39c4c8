import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createCollectionRoute,
  NO_EVIDENCE_ANSWER,
  passageSearchRoute,
  reasonRoute,
  type ReasonData,
} from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingest, ingestOne } from '../../harness/ingest.js';
import { expectQuotedAnswer } from '../../harness/quotations.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUERY = 'How many seats does the ferry Solveig have?';
const POLICY = { provider: 'slack', mode: 'provider_scope' } as const;
const SCOPE_RULE = 'must be a UUID; omit the field when there is no such scope';
const UNKNOWN_ID = '6c9c2f6b-6a1e-4f3f-8d2b-8d7f5a1b3c4d';

interface ReasonInput {
  query?: string;
  limit?: number;
  maxTokens?: number;
  documentId?: string;
  collectionId?: string;
}

/** Seed 000's parameters: scope, limit and budget. */
export function describeReasonScope(world: WorldOf): void {
  describe('reason: scope and bounds', () => {
    let client: ApiClient;
    let collectionId: string;
    let emptyCollectionId: string;
    let ids: string[];
    let foreignDocument: string;
    let foreignCollection: string;

    const ask = async (input: ReasonInput = {}): Promise<ReasonData> =>
      (await client.call(reasonRoute, { body: { query: QUERY, ...input } })).data;
    const expectNoEvidence = (data: ReasonData): void =>
      expect(data).toEqual({
        answer: NO_EVIDENCE_ANSWER,
        citations: [],
        gaps: [NO_EVIDENCE_ANSWER],
        meta: { chunksGathered: 0, citationsDropped: 0, latencyMs: expect.any(Number) },
      });

    beforeAll(async () => {
      const tenant = await createTenant(world(), 'Reason scope');
      client = tenant.admin;
      collectionId = (await client.call(createCollectionRoute, { body: { name: 'Ferries' } })).data.id;
      emptyCollectionId = (await client.call(createCollectionRoute, { body: { name: 'Nothing' } })).data.id;
      ids = await ingest(client, [
        {
          title: 'Ferry Solveig',
          body: 'The ferry Solveig has 212 seats. She crosses the sound twice a day.',
          accessPolicy: POLICY,
          collectionIds: [collectionId],
        },
        {
          title: 'Ferry Solveig, after the refit',
          body: 'Since the refit the ferry Solveig has 180 seats. The bar was removed.',
          accessPolicy: POLICY,
        },
        { title: 'Bakery', body: 'The bakery sells cinnamon buns from six in the morning.', accessPolicy: POLICY },
      ]);
      const other = (await createTenant(world(), 'Reason scope, others')).admin;
      foreignDocument = await ingestOne(other, {
        title: 'Ferry Solveig',
        body: 'The ferry Solveig has 999 seats.',
        accessPolicy: POLICY,
      });
      foreignCollection = (await other.call(createCollectionRoute, { body: { name: 'Ferries' } })).data.id;
    });

    it('answers from everything in reach without a scope', async () => {
      const data = await ask();
      expect(data.answer).toContain('212 seats');
      expect(data.answer).toContain('180 seats');
      await expectQuotedAnswer(client, data);
    });

    it('answers from the one document', async () => {
      const data = await ask({ documentId: ids[1] ?? '' });
      expect(data.answer).toContain('180 seats');
      expect(data.answer).not.toContain('212');
      expect(data.citations.map((citation) => citation.documentId)).toEqual([ids[1]]);
    });

    it('answers from the documents of the collection', async () => {
      const data = await ask({ collectionId });
      expect(data.answer).toContain('212 seats');
      expect(data.answer).not.toContain('180');
      expect(await ask({ collectionId, documentId: ids[0] ?? '' })).toMatchObject({ answer: data.answer });
    });

    it('goes on with weak evidence from a named scope, and skips it without one', async () => {
      const query = 'What is the tonnage of the icebreaker Ymir?';
      const scoped = await ask({ query, documentId: ids[2] ?? '' });
      expect(scoped.meta.chunksGathered).toBeGreaterThan(0);
      expect(scoped.answer).not.toBe(NO_EVIDENCE_ANSWER);
      expectNoEvidence(await ask({ query: 'How do bees make honey in winter?' }));
    });

    it.each<[string, () => ReasonInput]>([
      ['a document outside the collection', () => ({ documentId: ids[1] ?? '', collectionId })],
      ['an absent document', () => ({ documentId: UNKNOWN_ID })],
      ['an absent collection', () => ({ collectionId: UNKNOWN_ID })],
      ['an empty collection', () => ({ collectionId: emptyCollectionId })],
      ["another tenant's document", () => ({ documentId: foreignDocument })],
      ["another tenant's collection", () => ({ collectionId: foreignCollection })],
      [
        "a document and another tenant's collection",
        () => ({ documentId: ids[0] ?? '', collectionId: foreignCollection }),
      ],
    ])('has no evidence, and says so with 200, for %s', async (_, input) => {
      expectNoEvidence(await ask(input()));
    });

    it("has no evidence in a document that the key's providers or principals don't reach", async () => {
      const otherProvider = await createKey(client, { allowedProviders: ['notion'] });
      const inScope = { query: QUERY, documentId: ids[0] ?? '' };
      expectNoEvidence((await otherProvider.client.call(reasonRoute, { body: inScope })).data);
      const hidden = await ingestOne(client, {
        title: 'Ferry Solveig, crew',
        body: 'The ferry Solveig has 14 crew and 212 seats.',
        accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:captain@sound.example'] },
      });
      const outsider = await createKey(client, { principals: ['user:guest@sound.example'] });
      const { data } = await outsider.client.call(reasonRoute, { body: { query: QUERY, documentId: hidden } });
      expectNoEvidence(data);
    });

    it('gathers at most limit chunks, clamped to 1–50 and never refused', async () => {
      expect((await ask({ limit: 1 })).meta.chunksGathered).toBe(1);
      expect((await ask({ limit: 0 })).meta.chunksGathered).toBe(1);
      expect((await ask({ limit: -7 })).meta.chunksGathered).toBe(1);
      expect((await ask({ limit: 1.9 })).meta.chunksGathered).toBe(1);
      const all = (await ask({ limit: 50 })).meta.chunksGathered;
      expect(all).toBeGreaterThan(1);
      expect((await ask({ limit: 1_000_000 })).meta.chunksGathered).toBe(all);
      expect((await ask()).meta.chunksGathered).toBe(all);
    });

    it.each([0, -1, -8000.5, 0.9])('has an empty packet, so no evidence, for maxTokens %d', async (maxTokens) => {
      expectNoEvidence(await ask({ maxTokens }));
      expectNoEvidence(await ask({ maxTokens, documentId: ids[0] ?? '' }));
    });

    it('truncates a fraction of maxTokens and fills the budget it gives', async () => {
      const budgets = await Promise.all([80, 80.9].map((maxTokens) => ask({ maxTokens })));
      expect(budgets[1]?.meta.chunksGathered).toBe(budgets[0]?.meta.chunksGathered);
      const small = await client.exchange(reasonRoute, { body: { query: QUERY, maxTokens: 80.9 } });
      const events = await readEvents(client, small.requestId);
      const answered = events.find((event) => event.action === 'reason.answer');
      expect(answered?.metadata).toMatchObject({ maxTokens: 80 });
      expect(Number(answered?.metadata['packetTokens'])).toBeLessThanOrEqual(80);
    });

    it('keeps the order of the passage search', async () => {
      const { data: passages } = await client.call(passageSearchRoute, { body: { query: QUERY, limit: 50 } });
      const response = await client.exchange(reasonRoute, { body: { query: QUERY } });
      const events = await readEvents(client, response.requestId);
      const answered = events.find((event) => event.action === 'reason.answer');
      expect(answered?.metadata['admittedChunkIds']).toEqual(passages.results.map((passage) => passage.chunkId));
    });

    it.each<[string, unknown, string, string]>([
      ['no query', {}, 'query', 'query is required'],
      ['a blank query', { query: ' \n\t' }, 'query', 'query must contain at least one non-whitespace character'],
      ['an empty documentId', { query: 'q', documentId: '' }, 'documentId', `documentId ${SCOPE_RULE}`],
      ['a null documentId', { query: 'q', documentId: null }, 'documentId', `documentId ${SCOPE_RULE}`],
      [
        'a malformed collectionId',
        { query: 'q', collectionId: 'j97abc' },
        'collectionId',
        `collectionId ${SCOPE_RULE}`,
      ],
      ['maxTokens as text', { query: 'q', maxTokens: '8000' }, 'maxTokens', 'maxTokens must be a number'],
      ['maxTokens NaN as text', { query: 'q', maxTokens: 'NaN' }, 'maxTokens', 'maxTokens must be a number'],
      ['maxTokens null', { query: 'q', maxTokens: null }, 'maxTokens', 'maxTokens must be a number'],
      ['limit as text', { query: 'q', limit: '5' }, 'limit', 'limit must be a number'],
      ['a model', { query: 'q', model: 'gpt' }, 'model', 'unknown field "model"'],
    ])('refuses %s', async (_, body, field, message) => {
      expectError(await client.post('/v1/reason', body), { status: 400, type: 'REQUEST.INVALID', field, message });
    });

    it.each(['1e999', '-1e999'])('refuses an infinite number for maxTokens: %s', async (number) => {
      const response = await client.send('POST', '/v1/reason', { rawBody: `{"query":"q","maxTokens":${number}}` });
      expectError(response, { status: 400, type: 'REQUEST.INVALID', field: 'maxTokens' });
    });

    it('refuses NaN, which is no JSON', async () => {
      const response = await client.send('POST', '/v1/reason', { rawBody: '{"query":"q","maxTokens":NaN}' });
      expectError(response, { status: 400, type: 'REQUEST.MALFORMED_JSON' });
    });

    it('asks for 50 chunks and 8,000 tokens when the caller says nothing', async () => {
      const { requestId } = await client.exchange(reasonRoute, { body: { query: QUERY } });
      const answered = (await readEvents(client, requestId)).find((event) => event.action === 'reason.answer');
      expect(answered?.metadata).toMatchObject({ limit: 50, maxTokens: 8000 });
    });

    it('changes nothing but the audit trail, which holds ids, counts and digests', async () => {
      const response = await client.exchange(reasonRoute, { body: { query: QUERY } });
      const events = await readEvents(client, response.requestId);
      expect(events.map(({ action, outcome }) => [action, outcome])).toEqual([
        ['reason.requested', 'accepted'],
        ['reason.answer', 'succeeded'],
      ]);
      expect(JSON.stringify(events)).not.toContain('212 seats');
      expect(events[1]?.metadata).toMatchObject({
        chunksGathered: response.body.data.meta.chunksGathered,
        citedChunkIds: response.body.data.citations.map((citation) => citation.chunkId),
        answerDigest: expect.any(String),
      });
    });
  });
}
