import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { PROVIDERS, type CallerScope, type ContextContract11, type Provider } from '@candor/contracts';
import { requestIdSchema, type RetrievalMethod, type RetrievalRequest } from '@candor/contracts';
import { EmbedderRegistry, HashingEmbedder } from '@candor/embeddings';
import { CallerTokenSigner } from '@candor/runtime';
import type { ChunkDocument, SearchIndexReader } from '@candor/search-index/read';
// eslint-disable-next-line no-restricted-imports -- the test has to fill the index, which the service never does
import { createLanceDbIndex, type SearchIndexWriter } from '@candor/search-index/write';
import { RetrievalService } from './retrieval.service.js';
import { aChunk, aScope, idOf, TENANT } from './testing/builders.js';
import { InMemoryReasoning } from './testing/in-memory-reasoning.js';
import { GENERATION, InMemoryWorld } from './testing/in-memory-world.js';

jest.setTimeout(120_000);

const signer = new CallerTokenSigner('a key of at least thirty-two characters');
const requestId = requestIdSchema.parse('44444444-4444-4444-8444-444444444444');
const address = { tenantId: TENANT, generation: GENERATION.name };
const embedder = new HashingEmbedder({ dimensions: 64 });
const recordedAt = '2026-01-01T00:00:00.000Z';

const TOPICS = ['the brand colour is lime green', 'invoices are paid in thirty days', 'the office closes in august'];

interface Written {
  number: number;
  provider: Provider;
  text: string;
  principals: string[] | null;
}
/** 60 items: providers and topics in turn, every fourth one closed to all but one of two people. */
const CORPUS: Written[] = Array.from({ length: 60 }, (_, index) => ({
  number: index + 1,
  provider: PROVIDERS[index % PROVIDERS.length]!,
  text: `${TOPICS[index % TOPICS.length]!} (note ${index + 1})`,
  principals: index % 4 === 0 ? [index % 8 === 0 ? 'user:a@x.org' : 'user:b@x.org'] : null,
}));

/** The real embedded index; the truth is in memory. */
describe('retrieval over LanceDB', () => {
  const world = new InMemoryWorld();
  let directory: string;
  let reader: SearchIndexReader;
  let writer: SearchIndexWriter;
  let service: RetrievalService;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'candor-retrieval-'));
    ({ reader, writer } = createLanceDbIndex({ directory }));
    const reasoning = new InMemoryReasoning();
    service = new RetrievalService({
      reader,
      views: world,
      reasoning,
      embedders: EmbedderRegistry.around(embedder),
      signer,
    });
    await writer.ensureIndex(address, embedder.profile.dimensions);
    for (const written of CORPUS) await write(written);
  });

  afterAll(async () => {
    await Promise.all([reader.close(), writer.close()]);
    await rm(directory, { recursive: true, force: true });
  });

  async function write({ number, provider, text, principals }: Written): Promise<void> {
    const accessMode = principals === null ? ('provider_scope' as const) : ('acl' as const);
    const head = { itemId: idOf(number), provider, accessMode, principals: principals ?? [] };
    world.addItem(head);
    const [vector] = await embedder.embedPassages([text]);
    const chunk: ChunkDocument = aChunk({ ...head, chunkId: idOf(1000 + number), content: text, vector: vector! });
    await writer.apply(address, [
      { kind: 'put-version', itemId: head.itemId, version: 1, recordedAt, chunks: [chunk] },
    ]);
  }

  function call<M extends RetrievalMethod>(method: M, request: object, scope: CallerScope = aScope()) {
    const callerToken = signer.sign(scope);
    const options = { deadline: new Date(Date.now() + 30_000) };
    return service.call(method, { requestId, callerToken }, request as RetrievalRequest<M>, options);
  }
  const numberOf = (itemId: string): number => Number(itemId.slice(-12));

  it('finds by meaning and words, most similar first', async () => {
    const { result, facts } = await call('search', { query: 'which colour is the brand?', limit: 5 });
    expect(result.hits).toHaveLength(5);
    for (const hit of result.hits) expect(hit.content).toContain('lime green');
    const scores = result.hits.map((hit) => hit.score);
    expect(scores).toEqual(scores.toSorted((left, right) => right - left));
    expect(facts).toMatchObject({ hits: 5, generationId: GENERATION.id });
  });

  it('gives every caller a full page of what it may see, and nothing else', async () => {
    const scopes: { allowedProviders: Provider[] | null; principals: string[] | null }[] = [
      { allowedProviders: null, principals: null },
      { allowedProviders: ['slack', 'gmail'], principals: null },
      { allowedProviders: null, principals: ['user:a@x.org'] },
      { allowedProviders: ['notion'], principals: ['user:b@x.org'] },
      { allowedProviders: ['upload'], principals: [] },
    ];
    for (const scope of scopes) {
      const permitted = CORPUS.filter(
        ({ provider, principals }) =>
          (scope.allowedProviders ?? PROVIDERS).includes(provider) &&
          (scope.principals === null ||
            principals === null ||
            principals.some((one) => scope.principals?.includes(one))),
      ).map(({ number }) => number);
      const { result } = await call('search', { query: 'when does the office close?', limit: 25 }, aScope(scope));
      const found = result.hits.map((hit) => numberOf(hit.sourceItemId));
      expect(found).toHaveLength(Math.min(25, permitted.length));
      expect(permitted).toEqual(expect.arrayContaining(found));
    }
  });

  it('searches a document or collection as a whole, however far from the query', async () => {
    world.collections.set(idOf(901), [idOf(2), idOf(3)]);
    const inCollection = await call('findPassages', { query: 'zebra crossing', collectionId: idOf(901) });
    expect(inCollection.result.passages.map(({ documentId }) => numberOf(documentId)).sort()).toEqual([2, 3]);
    const inDocument = await call('findPassages', { query: 'zebra crossing', documentId: idOf(2) });
    expect(inDocument.result.passages.map(({ chunkId }) => chunkId)).toEqual([idOf(1002)]);
  });

  it('hides a deleted item at once, while the index still has it, and fills its place', async () => {
    const query = { query: 'invoices are paid in thirty days (note 2)', limit: 1 };
    expect((await call('search', query)).result.hits[0]?.sourceItemId).toBe(idOf(2));
    const head = world.heads.get(`${idOf(2)}:1`)!;
    world.deleteItem(idOf(2));
    const { result, facts } = await call('search', query);
    expect(result.hits.map((hit) => numberOf(hit.sourceItemId))).not.toContain(2);
    expect(result.hits).toHaveLength(1);
    expect(facts).toMatchObject({ excluded: { gone: 1 } });
    world.heads.set(`${idOf(2)}:1`, head);
  });

  it('answers as of an earlier instant, and says in 1.1 what came later', async () => {
    const itemId = idOf(70);
    const later = { itemId, provider: 'notion' as const, notYetKnown: true, current: false };
    world.addItem(later);
    const content = 'the brand colour is orange since april';
    const [vector] = await embedder.embedPassages([content]);
    const april = '2026-04-01T00:00:00.000Z';
    const chunk = aChunk({ itemId, content, vector: vector!, recordedAt: april });
    await writer.apply(address, [{ kind: 'put-version', itemId, version: 1, recordedAt: april, chunks: [chunk] }]);

    const request = { query: content, knownAsOf: '2026-03-01T00:00:00Z', contractVersion: '1.1' };
    const result = (await call('context', request)).result as ContextContract11;
    expect(result.hits.map((hit) => hit.sourceItemId)).not.toContain(itemId);
    expect(result.exclusions).toContainEqual(expect.objectContaining({ type: 'not_yet_known', count: 1 }));
    expect(result.retrieval.exact).toBe(true);
    world.deleteItem(itemId);
  });

  it('never says "nothing found" of an index that is lost', async () => {
    world.generation = { ...GENERATION, id: idOf(902), name: 'g2' };
    const outcome = call('search', { query: 'brand' });
    await expect(outcome).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE', retryAfterSeconds: 5 });
    world.generation = GENERATION;
  });
});
