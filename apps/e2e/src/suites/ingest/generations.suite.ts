import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  contextRoute,
  createGenerationRoute,
  deleteSourceItemRoute,
  generationRoute,
  listGenerationsRoute,
  promoteGenerationRoute,
  readChunkRoute,
  reconcileGenerationRoute,
  retireGenerationRoute,
  searchRoute,
  sourceItemRoute,
  type ContextContract11,
  type Generation,
  type GenerationState,
  type Hit,
} from '@candor/contracts';
import { HashingEmbedder } from '@candor/embeddings';
import { waitFor, type ApiClient, type DocumentFields } from '@candor/testkit';
import { readActions, waitForEvent } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingest, ingestOne, push, waitUntilDone } from '../../harness/ingest.js';
import { createKey, createTenant, type Tenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

/** Stands for another embedding model: the same dimensions, other vectors, so that mixing them would go unnoticed. */
const OTHER_MODEL = 'hashing';
const QUERIES = [
  'Which lantern hangs at the north gate of Velmora?',
  'How wide is the harbour of Velmora?',
  'When does the night watch of Velmora begin?',
  'Who repairs the lanterns of Velmora?',
];
/** Requests that are under way at any time of the swaps. */
const CLIENTS = 4;

interface Answer {
  status: number;
  query: string;
  /** Contract 1.1 says which generation it was; a plain search doesn't. */
  generationId: string | null;
  pipelineFingerprint: string | null;
  hits: [itemId: string, score: number][];
}

/** Build beside, write to both, swap under load, roll back, retire: nothing is lost, and no answer mixes two models. */
export function describeGenerations(world: WorldOf): void {
  describe('generations', () => {
    let tenant: Tenant;
    let client: ApiClient;
    let first: Generation;
    let second: Generation;
    let beforeEdit: string;
    let edited: string;
    let doomed: string;
    let oldChunkIds: string[];

    const velmora = (externalId: string, body: string): DocumentFields => ({
      externalId,
      title: `Velmora ${externalId}`,
      body,
      accessPolicy: { provider: 'slack', mode: 'provider_scope' },
    });
    const read = async (id: string): Promise<Generation> =>
      (await client.call(generationRoute, { params: { id } })).data;
    const waitForState = (id: string, state: GenerationState, timeoutMs = 90_000): Promise<Generation> =>
      waitFor(
        async () => {
          const generation = await read(id);
          if (generation.error) throw new Error(`${generation.error.type}: ${generation.error.message}`);
          return generation.state === state && generation;
        },
        { what: `the generation to be ${state}`, timeoutMs },
      );
    const promote = (id: string) => client.call(promoteGenerationRoute, { params: { id } });
    const find = async (query: string, scope: { sourceItemId?: string; knownAsOf?: string } = {}): Promise<Hit[]> =>
      (await client.call(searchRoute, { body: { query, limit: 25, ...scope } })).hits;

    beforeAll(async () => {
      tenant = await createTenant(world(), 'Generations');
      client = tenant.admin;
      await ingest(client, [
        velmora('gate', 'The copper lantern hangs at the north gate of Velmora.'),
        velmora('harbour', 'The harbour of Velmora is ninety fathoms wide.'),
        velmora('watch', 'The night watch of Velmora begins at nine.'),
        velmora('repairs', 'Old Tobias repairs the lanterns of Velmora.'),
        velmora('keys', 'Three keys open the lantern store of Velmora.'),
      ]);
      edited = await ingestOne(client, velmora('oil', 'The lanterns of Velmora burn whale oil.'));
      oldChunkIds = (await client.call(sourceItemRoute, { params: { id: edited } })).chunkIds;
      beforeEdit = new Date().toISOString();
      await ingestOne(client, velmora('oil', 'The lanterns of Velmora burn rapeseed oil.'));
      doomed = await ingestOne(client, velmora('doomed', 'The drowned lantern of Velmora lies by the pier.'));
    }, 120_000);

    it('start with one that is live and as it is configured', async () => {
      const { data } = await client.call(listGenerationsRoute);
      expect(data).toHaveLength(1);
      [first] = data as [Generation];
      expect(first).toMatchObject({
        state: 'live',
        drift: [],
        progress: { itemsDone: 7, itemsTotal: 7, etaSeconds: null },
        error: null,
        retiredAt: null,
      });
      expect(first.embedding?.model).not.toBe(OTHER_MODEL);
      expect(first.pipelineFingerprint).toMatch(/^[0-9a-f]{64}$/);
      expect(first.configuredFingerprint).toBe(first.pipelineFingerprint);
      expect(await read(first.id)).toEqual(first);
    });

    it('are the administrators’ business alone, and each tenant’s own', async () => {
      const { client: reader } = await createKey(client, { allowedActions: ['search', 'documents:read'] });
      expectError(await reader.get('/v1/generations'), { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
      expectError(await reader.post('/v1/generations', {}), { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
      const stranger = (await createTenant(world(), 'Stranger')).admin;
      for (const path of ['', '/promote', '/retire', '/reconcile']) {
        const method = path === '' ? 'GET' : 'POST';
        const answer = await stranger.send(method, `/v1/generations/${first.id}${path}`);
        expectError(answer, { status: 404, type: 'RESOURCE.NOT_FOUND' });
        expectError(await client.send(method, `/v1/generations/${randomUUID()}${path}`), {
          status: 404,
          type: 'RESOURCE.NOT_FOUND',
        });
      }
      expectError(await client.post('/v1/generations', { dimensions: 3 }), { status: 400, type: 'REQUEST.INVALID' });
    });

    it('fail with the reason when the model can’t be opened, and can’t be promoted then', async () => {
      const { data } = await client.call(createGenerationRoute, { body: { model: 'no-such-model' } });
      const failed = await waitFor(async () => (await read(data.id)).state === 'failed' && read(data.id), {
        what: 'the build to fail',
      });
      expect(failed).toMatchObject({ name: null, error: { type: 'CONFIG.INVALID' } });
      expect(failed.error?.message).toContain('no-such-model');
      expectError(await client.post(`/v1/generations/${data.id}/promote`), {
        status: 409,
        type: 'GENERATION.WRONG_STATE',
      });
      const again = { status: 409, type: 'GENERATION.WRONG_STATE' } as const;
      expectError(await client.post(`/v1/generations/${first.id}/retire`), again);
    });

    it('are built beside the live one, while documents come, change and go', async () => {
      const created = await client.exchange(createGenerationRoute, { body: { model: OTHER_MODEL } });
      const { id } = created.body.data;
      expectError(await client.post('/v1/generations', {}), { status: 409, type: 'GENERATION.BUILD_EXISTS' });
      const requests = [
        await push(client, [velmora('bell', 'The bell of Velmora rings at noon.')]),
        await push(client, [velmora('watch', 'The night watch of Velmora begins at ten.')]),
      ];
      const deleted = await client.exchange(deleteSourceItemRoute, { params: { id: doomed } });
      for (const { requestId } of requests) await waitUntilDone(client, requestId);
      second = await waitForState(id, 'ready');
      await waitForEvent(client, { requestId: deleted.requestId, action: 'item.deleted' });

      // What came late is in both as well.
      await ingestOne(client, velmora('late', 'The late ferry of Velmora leaves at eleven.'));
      [first, second] = [await read(first.id), await read(id)];
      expect(second).toMatchObject({
        name: expect.stringMatching(/^chunks-hashing-\d+-\d+$/),
        state: 'ready',
        embedding: { provider: 'hashing', model: OTHER_MODEL, dimensions: 384 },
        drift: ['embedding'],
        progress: { itemsDone: 8, itemsTotal: 8 },
      });
      expect(second.pipelineFingerprint).not.toBe(first.pipelineFingerprint);
      expect(second.configuredFingerprint).toBe(first.pipelineFingerprint);
      expect(second.corpusFingerprint).toBe(first.corpusFingerprint);
      expect(first.state).toBe('live');
      expect(await readActions(client, created.requestId)).toEqual(['generation.create', 'generation.built']);
    }, 180_000);

    it('are swapped and rolled back under load: nothing fails, and no answer mixes two models', async () => {
      const answers: Answer[] = [];
      let stopped = false;
      const ask = async (number: number): Promise<void> => {
        for (let turn = number; !stopped; turn += 1) answers.push(await request(client, turn));
      };
      const load = Array.from({ length: CLIENTS }, (_, number) => ask(number * 3));
      const settle = (): Promise<unknown> => {
        const since = answers.length;
        return waitFor(() => answers.length >= since + CLIENTS * 8, { what: 'more answers', everyMs: 20 });
      };
      try {
        await settle();
        expect((await promote(second.id)).data.state).toBe('live');
        await settle();
        expect((await promote(first.id)).data.state).toBe('live');
        await settle();
        const promoteOnce = () =>
          client.post(`/v1/generations/${second.id}/promote`, undefined, { 'idempotency-key': 'promote-once' });
        const promoted = await promoteOnce();
        expect(promoted).toMatchObject({ status: 202, body: { data: { state: 'live' } } });
        const again = await promoteOnce();
        expect(again).toMatchObject({ status: 202, body: promoted.body });
        expect(again.headers.get('idempotency-replayed')).toBe('true');
        await settle();
      } finally {
        stopped = true;
        await Promise.all(load);
      }

      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      const named = answers.filter(({ generationId }) => generationId !== null);
      expect(new Set(named.map(({ generationId }) => generationId))).toEqual(new Set([first.id, second.id]));
      const lists = new Map<string, Answer['hits']>();
      for (const { generationId, pipelineFingerprint, query, hits } of named) {
        const generation = generationId === first.id ? first : second;
        expect(pipelineFingerprint).toBe(generation.pipelineFingerprint);
        // The corpus stands still: one generation has one answer to a query.
        const key = `${generationId} ${query}`;
        expect(hits).toEqual(lists.get(key) ?? hits);
        lists.set(key, hits);
      }
      for (const { query, hits, generationId } of answers) {
        if (generationId !== null) continue;
        const whole = [first.id, second.id].map((id) => lists.get(`${id} ${query}`));
        expect(whole).toContainEqual(hits);
      }
      for (const query of QUERIES) {
        expect(lists.get(`${first.id} ${query}`)).not.toEqual(lists.get(`${second.id} ${query}`));
        await expectCosines(query, lists.get(`${second.id} ${query}`) ?? []);
      }
    }, 180_000);

    /** The scores are the cosines of the other model, computed here once more. */
    async function expectCosines(query: string, hits: Answer['hits']): Promise<void> {
      const model = new HashingEmbedder({ dimensions: 384 });
      const asked = await model.embedQuery(query);
      const shown = await find(query);
      expect(shown.map((hit) => [hit.sourceItemId, hit.score])).toEqual(hits);
      for (const { title, content, score } of shown) {
        const [passage = new Float32Array()] = await model.embedPassages([`${title}\n${content}`]);
        const cosine = passage.reduce((sum, value, index) => sum + value * (asked[index] ?? 0), 0);
        expect(score).toBeCloseTo(Math.max(0, cosine), 3);
      }
    }

    it('answer about the past as before, and never with what is gone', async () => {
      expect((await read(second.id)).state).toBe('live');
      const oil = 'What oil do the lanterns of Velmora burn?';
      expect((await find(oil, { sourceItemId: edited })).map((hit) => hit.content)).toEqual([
        'The lanterns of Velmora burn rapeseed oil.',
      ]);
      const past = await find(oil, { sourceItemId: edited, knownAsOf: beforeEdit });
      expect(past.map((hit) => hit.content)).toEqual(['The lanterns of Velmora burn whale oil.']);
      const drowned = 'Where does the drowned lantern of Velmora lie?';
      for (const scope of [{}, { knownAsOf: beforeEdit }, { knownAsOf: new Date().toISOString() }])
        expect((await find(drowned, scope)).map((hit) => hit.sourceItemId)).not.toContain(doomed);

      // Chunks of both generations can be read; the item lists those of the live one.
      const { chunkIds } = await client.call(sourceItemRoute, { params: { id: edited } });
      expect(chunkIds).not.toEqual([]);
      for (const chunkId of chunkIds) {
        const { data } = await client.call(readChunkRoute, { params: { chunkId } });
        expect(data.content).toContain('rapeseed');
        expect(data.hierarchy.position.total).toBe(chunkIds.length);
      }
      for (const chunkId of oldChunkIds) {
        const { data } = await client.call(readChunkRoute, { params: { chunkId } });
        expect(data.content).toContain('whale');
      }
    });

    it('keep the previous one in step, so that a roll-back loses nothing', async () => {
      const added = await ingestOne(client, velmora('mill', 'The wind mill of Velmora grinds at dawn.'));
      const mill = 'When does the wind mill of Velmora grind?';
      expect((await find(mill, { sourceItemId: added })).length).toBe(1);
      expect((await promote(first.id)).data).toMatchObject({ state: 'live', drift: [] });
      expect((await find(mill, { sourceItemId: added })).length).toBe(1);
      expect(await read(second.id)).toMatchObject({ state: 'previous' });
      const deleted = await client.exchange(deleteSourceItemRoute, { params: { id: added } });
      const certificate = await waitForEvent(client, { requestId: deleted.requestId, action: 'item.deleted' });
      expect(certificate.metadata).toMatchObject({ remainingChunks: 0, indices: 2 });
      [first, second] = [await read(first.id), await read(second.id)];
      expect(second.corpusFingerprint).toBe(first.corpusFingerprint);
    });

    it('are compared with the database on demand', async () => {
      await client.call(reconcileGenerationRoute, { params: { id: first.id } });
      const reconciled = await waitFor(async () => (await read(first.id)).reconciliation, { what: 'the comparison' });
      expect(reconciled).toMatchObject({ missing: 0, outdated: 0, dangling: 0 });
    });

    it('are given up: the index goes once no request can be using it, and writes go on', async () => {
      const retiring = await client.exchange(retireGenerationRoute, { params: { id: second.id } });
      expect(retiring.body.data.state).toBe('retiring');
      expectError(await client.post(`/v1/generations/${second.id}/promote`), {
        status: 409,
        type: 'GENERATION.WRONG_STATE',
      });
      await waitForState(second.id, 'retired');
      expect(await readActions(client, retiring.requestId)).toEqual(['generation.retire', 'generation.retire']);
      await ingestOne(client, velmora('quay', 'The old quay of Velmora is made of slate.'));
      const deleted = await client.exchange(deleteSourceItemRoute, { params: { id: edited } });
      await waitForEvent(client, { requestId: deleted.requestId, action: 'item.deleted' });
    }, 120_000);
  });
}

/** Searches and contracts in turn, over the same few questions. */
async function request(client: ApiClient, turn: number): Promise<Answer> {
  const query = QUERIES[turn % QUERIES.length] ?? '';
  const isContract = Math.floor(turn / QUERIES.length) % 2 === 0;
  const body = { query, limit: 25, ...(isContract ? { contractVersion: '1.1' } : {}) };
  const { status, body: answer } = await client.post(isContract ? contextRoute.path : searchRoute.path, body);
  if (status !== 200) return { status, query, generationId: null, pipelineFingerprint: null, hits: [] };
  const { hits, retrieval } = answer as Pick<ContextContract11, 'hits'> & Partial<ContextContract11>;
  return {
    status,
    query,
    generationId: retrieval?.generationId ?? null,
    pipelineFingerprint: retrieval?.pipelineFingerprint ?? null,
    hits: hits.map((hit) => [hit.sourceItemId, hit.score]),
  };
}
