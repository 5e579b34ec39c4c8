import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import {
  AppError,
  RETRIEVAL_METHODS,
  requestIdSchema,
  type CallerScope,
  type RetrievalMethod,
  type RetrievalRequest,
} from '@candor/contracts';
import { EmbedderRegistry } from '@candor/embeddings';
import { CallerTokenSigner } from '@candor/runtime';
import type { ChunkRecord } from '@candor/persistence/views';
import { RetrievalService } from './retrieval.service.js';
import { aKey, aScope, idOf } from './testing/builders.js';
import { InMemoryReasoning } from './testing/in-memory-reasoning.js';
import { FixedEmbedder, GENERATION, InMemoryWorld } from './testing/in-memory-world.js';

const signer = new CallerTokenSigner('a key of at least thirty-two characters');
const aNumber: unknown = expect.any(Number);
const requestId = requestIdSchema.parse('44444444-4444-4444-8444-444444444444');

let world: InMemoryWorld;
let service: RetrievalService;

beforeEach(() => {
  world = new InMemoryWorld();
  const relevance = { relevanceFloor: 0.05, cosineGuard: 0.4, wordWeight: 0.3, evidenceGuard: 0.4, calibrated: true };
  service = new RetrievalService({
    reader: world,
    views: world,
    reasoning: new InMemoryReasoning(),
    embedders: EmbedderRegistry.around(new FixedEmbedder()),
    signer,
    relevance,
  });
});

interface CallParts {
  scope?: CallerScope;
  token?: string;
  deadline?: Date;
  signal?: AbortSignal;
}
/** The request as a caller sends it, without the defaults. */
function call<M extends RetrievalMethod>(method: M, request: object, parts: CallParts = {}) {
  const { scope = aScope(), token = signer.sign(scope), deadline = new Date(Date.now() + 10_000), signal } = parts;
  return service.call(method, { requestId, callerToken: token }, request as RetrievalRequest<M>, {
    deadline,
    ...(signal ? { signal } : {}),
  });
}

describe('every call', () => {
  it('refuses a token that another key signed, that was altered or that has expired', async () => {
    const other = new CallerTokenSigner('another key of at least thirty-two characters');
    for (const token of [other.sign(aScope()), `x${signer.sign(aScope())}`, signer.sign(aScope(), -1), 'nonsense']) {
      await expect(call('search', { query: 'brand' }, { token })).rejects.toMatchObject({ code: 'AUTH.INVALID_SCOPE' });
    }
    expect(world.queries).toEqual([]);
  });

  it('refuses a payload that does not follow the contract, naming the field', async () => {
    await expect(call('search', { query: ' ' })).rejects.toMatchObject({
      code: 'REQUEST.INVALID',
      details: { field: 'query' },
    });
    await expect(call('search', { query: 'a', tenantId: 'x' })).rejects.toMatchObject({ code: 'REQUEST.INVALID' });
  });

  it('ends with DEADLINE.EXCEEDED when the deadline has passed, before any work', async () => {
    const attempt = call('search', { query: 'brand' }, { deadline: new Date(Date.now() - 1) });
    await expect(attempt).rejects.toMatchObject({ code: 'DEADLINE.EXCEEDED' });
    expect(world.queries).toEqual([]);
  });

  it('ends with DEADLINE.EXCEEDED when it passes meanwhile, and tells the index', async () => {
    let seen: AbortSignal | undefined;
    jest.spyOn(world, 'findCandidates').mockImplementation(async (_address, { signal }) => {
      seen = signal;
      await delay(60_000, undefined, { signal, ref: false });
      throw new Error('not reached');
    });
    const attempt = call('search', { query: 'brand' }, { deadline: new Date(Date.now() + 30) });
    await expect(attempt).rejects.toMatchObject({ code: 'DEADLINE.EXCEEDED' });
    expect(seen?.aborted).toBe(true);
  });

  it('does not wait for a database that can’t be interrupted', async () => {
    world.beforeRecheck = () => delay(60_000, undefined, { ref: false });
    const attempt = call('search', { query: 'brand' }, { deadline: new Date(Date.now() + 30) });
    await expect(attempt).rejects.toMatchObject({ code: 'DEADLINE.EXCEEDED' });
  });

  it('ends with REQUEST.CANCELLED when the caller goes away', async () => {
    const controller = new AbortController();
    world.beforeRecheck = async () => {
      controller.abort();
      await delay(60_000, undefined, { ref: false });
    };
    const attempt = call('search', { query: 'brand' }, { signal: controller.signal });
    await expect(attempt).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
  });

  it('passes a dependency’s failure on as it is', async () => {
    jest.spyOn(world, 'findCandidates').mockRejectedValue(new AppError('DEPENDENCY.INDEX_UNAVAILABLE'));
    await expect(call('search', { query: 'brand' })).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE' });
  });

  it('refuses a revoked key', async () => {
    world.key = null;
    for (const [method, request] of [
      ['search', { query: 'brand' }],
      ['context', { query: 'brand' }],
      ['findPassages', { query: 'brand' }],
      ['readChunk', { chunkId: idOf(1) }],
    ] as const) {
      await expect(call(method, request)).rejects.toMatchObject({ code: 'AUTH.INVALID_KEY' });
    }
  });
});

describe('search', () => {
  beforeEach(() => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.9 });
    world.addItem({ itemId: idOf(2) }, { cosine: 0.8, lexicalScore: 9 });
    world.addItem({ itemId: idOf(3) }, { cosine: 0.1 });
  });
  const idsOf = (reply: { result: { hits: { sourceItemId: string }[] } }) =>
    reply.result.hits.map((hit) => hit.sourceItemId);

  it('echoes the query as sent and orders hits by score', async () => {
    const reply = await call('search', { query: ' brand ' });
    expect(reply.result.query).toBe(' brand ');
    expect(reply.result.hits.map(({ score }) => score)).toEqual([0.9, 0.8, 0.1]);
  });

  it('gives the order of the fusion on request', async () => {
    expect(idsOf(await call('search', { query: 'brand', ranking: 'fused' }))).toEqual([2, 1, 3].map(idOf));
  });

  it('decides by fusion what is in a page that is ordered by score', async () => {
    expect(idsOf(await call('search', { query: 'brand', limit: 1 }))).toEqual([idOf(2)]);
  });

  it('gives facts for the audit: ids, counts and timings, no text', async () => {
    world.changeHead(idOf(3), { superseded: true });
    const { facts } = await call('search', { query: 'brand' });
    expect(facts).toEqual({
      candidates: 3,
      rounds: 1,
      hits: 2,
      relevant: true,
      itemIds: [1, 2].map(idOf),
      providers: ['gmail', 'google_drive', 'notion', 'slack', 'upload'],
      excluded: { superseded: 1 },
      tookMs: { embed: aNumber, search: aNumber, recheck: aNumber, total: aNumber },
      generationId: GENERATION.id,
    });
    expect(JSON.stringify(facts)).not.toMatch(/lime|brand/i);
  });
});

describe('context', () => {
  it('is the same retrieval as search, in an envelope', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.9 });
    world.addItem({ itemId: idOf(2), provider: 'slack' }, { cosine: 0.8 });
    const body = { query: 'brand', limit: 5, providers: ['notion'] };
    const [search, context] = [await call('search', body), await call('context', body)];
    expect(context.result.hits).toEqual(search.result.hits);
    expect(context.result.contract).toMatchObject({ version: '1.0', requestId, callerApiKeyId: aKey().apiKeyId });
  });

  it('says no_context when nothing is relevant, as search shows nothing; inside an item the floor alone decides', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.29, content: 'Security policy' });
    const body = { query: 'What is our parental leave policy?', contractVersion: '1.1' };
    const { result } = await call('context', body);
    expect(result.hits).toEqual([]);
    expect(result.limitations).toMatchObject([{ code: 'no_context' }]);
    expect(result.exclusions).toContainEqual(expect.objectContaining({ type: 'relevance_floor', count: 1 }));
    expect((await call('search', { query: body.query })).result.hits).toEqual([]);
    expect((await call('search', { query: body.query, sourceItemId: idOf(1) })).result.hits).toHaveLength(1);
  });

  it('looks for what came later only in 1.1', async () => {
    const knownAsOf = '2026-03-01T00:00:00Z';
    world.addItem({ notYetKnown: true }, { cosine: 0.9, recordedAt: '2026-04-01T00:00:00.000Z' });
    expect((await call('context', { query: 'brand', knownAsOf })).result.exclusions).toHaveLength(5);
    expect(world.queries).toHaveLength(1);
    const { result } = await call('context', { query: 'brand', knownAsOf, contractVersion: '1.1' });
    expect(result.exclusions).toContainEqual(
      expect.objectContaining({ type: 'not_yet_known', provider: 'notion', count: 1 }),
    );
  });

  it('asks for the state of the sources in 1.1 alone, while it searches, with the token’s principals', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.9 });
    world.problems = [{ kind: 'stale', provider: 'notion', count: 1 }];
    const scope = aScope({ principals: ['user:a@x.org'] });
    await call('context', { query: 'brand' }, { scope });
    await call('search', { query: 'brand' }, { scope });
    expect(world.problemQueries).toEqual([]);
    const knownAsOf = '2026-03-01T00:00:00Z';
    let asked = 0;
    world.beforeRecheck = () => void (asked = world.problemQueries.length);
    const { result } = await call('context', { query: 'brand', knownAsOf, contractVersion: '1.1' }, { scope });
    expect(asked).toBe(1);
    expect(world.problemQueries).toEqual([[scope.apiKeyId, ['user:a@x.org'], knownAsOf]]);
    expect(result.exclusions).toContainEqual(
      expect.objectContaining({ type: 'source_stale', provider: 'notion', count: null }),
    );
  });
});

describe('findPassages', () => {
  it('gives passages as evidence, with their place in the document', async () => {
    const [parentId, previousId, nextId] = [idOf(11), idOf(12), idOf(13)];
    world.addItem(
      { itemId: idOf(1), title: 'Handbook' },
      { cosine: 0.71239, level: 'section', chunkId: idOf(21), parentId, previousId, nextId, content: 'Lime.' },
    );
    const { result, facts } = await call('findPassages', { query: 'brand' });
    expect(result).toEqual({
      passages: [
        {
          chunkId: idOf(21),
          score: 0.7124,
          level: 'section',
          documentTitle: 'Handbook',
          documentId: idOf(1),
          content: 'Lime.',
          parentId,
          siblingIds: { prev: previousId, next: nextId },
        },
      ],
      bestScore: 0.7124,
      relevant: true,
    });
    expect(facts).toMatchObject({ hits: 1, chunkIds: [idOf(21)], itemIds: [idOf(1)] });
  });

  it('is not relevant when there is nothing', async () => {
    const { result } = await call('findPassages', { query: 'brand' });
    expect(result).toEqual({ passages: [], bestScore: 0, relevant: false });
  });

  it('cuts the tail of an unscoped search, and nothing inside a document or collection', async () => {
    const shared = { cosine: 0.9 };
    world.addItem({ itemId: idOf(1) }, shared, { cosine: 0.12, content: 'far' }, { cosine: 0.01, content: 'farther' });
    world.collections.set(idOf(31), [idOf(1)]);
    expect((await call('findPassages', { query: 'brand' })).result.passages).toHaveLength(1);
    for (const scope of [{ documentId: idOf(1) }, { collectionId: idOf(31) }]) {
      expect((await call('findPassages', { query: 'brand', ...scope })).result.passages).toHaveLength(3);
    }
  });

  it('says whether anything is relevant, in a scope too, and shows what it found either way', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.39 });
    world.addItem({ itemId: idOf(2) }, { cosine: 0.39, content: 'Parental leave' });
    const find = async (scope: object) => (await call('findPassages', { query: 'parental leave', ...scope })).result;
    expect(await find({})).toMatchObject({ relevant: true, bestScore: 0.39 });
    const inOther = await find({ documentId: idOf(1) });
    expect(inOther.relevant).toBe(false);
    expect(inOther.passages).toHaveLength(1);
  });

  it('never returns what a session has shown', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.9, chunkId: idOf(21) });
    const { result } = await call('findPassages', { query: 'brand', excludeChunkIds: [idOf(21)] });
    expect(result.passages).toEqual([]);
  });
});

describe('readChunk', () => {
  const record: ChunkRecord = {
    chunkId: idOf(21),
    itemId: idOf(1),
    version: 1,
    ordinal: 2,
    total: 5,
    level: 'paragraph',
    parentId: idOf(20),
    previousId: null,
    nextId: idOf(22),
    startIndex: 10,
    endIndex: 30,
    sectionPath: ['Brand'],
    headingText: 'Brand',
    content: 'We keep lime green.',
  };
  const notFound: unknown = expect.objectContaining({
    code: 'RESOURCE.NOT_FOUND',
    message: 'Not found.',
    details: null,
  });

  beforeEach(() => {
    world.records.set(record.chunkId, record);
    world.addItem({ itemId: idOf(1), title: 'Handbook' });
  });

  it('reads the passage and its place', async () => {
    const { result, facts } = await call('readChunk', { chunkId: idOf(21) });
    expect(result).toEqual({
      chunkId: idOf(21),
      content: 'We keep lime green.',
      level: 'paragraph',
      hierarchy: {
        documentTitle: 'Handbook',
        documentId: idOf(1),
        sectionPath: ['Brand'],
        position: { ordinal: 2, total: 5, parentId: idOf(20), prev: null, next: idOf(22), version: 1, isLive: true },
      },
      metadata: { wordCount: 4, startIndex: 10, endIndex: 30, headingText: 'Brand' },
    });
    expect(facts).toMatchObject({ itemIds: [idOf(1)], chunkIds: [idOf(21)], version: 1 });
    expect(JSON.stringify(facts)).not.toContain('lime');
  });

  it('reads older versions of a live item, and superseded ones', async () => {
    world.changeHead(idOf(1), { current: false, superseded: true });
    const { result } = await call('readChunk', { chunkId: idOf(21) });
    expect(result.hierarchy.position).toMatchObject({ version: 1, isLive: false });
  });

  it('says the same of what is absent, deleted, or not the caller’s', async () => {
    await expect(call('readChunk', { chunkId: idOf(99) })).rejects.toEqual(notFound);
    await expect(call('readChunk', { chunkId: 'not a uuid' })).rejects.toEqual(notFound);
    const slackOnly = aScope({ allowedProviders: ['slack'] });
    await expect(call('readChunk', { chunkId: idOf(21) }, { scope: slackOnly })).rejects.toEqual(notFound);
    world.changeHead(idOf(1), { accessMode: 'acl', principals: ['user:b@x.org'] });
    const other = aScope({ principals: ['user:a@x.org'] });
    await expect(call('readChunk', { chunkId: idOf(21) }, { scope: other })).rejects.toEqual(notFound);
    world.deleteItem(idOf(1));
    await expect(call('readChunk', { chunkId: idOf(21) })).rejects.toEqual(notFound);
  });

  it('applies what was taken from the key meanwhile', async () => {
    world.key = aKey({ allowedProviders: ['slack'] });
    await expect(call('readChunk', { chunkId: idOf(21) })).rejects.toEqual(notFound);
  });
});

it('has a handler for every method of the contract', async () => {
  for (const method of Object.keys(RETRIEVAL_METHODS) as RetrievalMethod[]) {
    const chunkId = idOf(21);
    const requests = {
      readChunk: { chunkId },
      expandChunk: { chunkId, direction: 'up' },
      findItems: { query: 'brand', kinds: ['documents'], semantic: true, tags: [], limit: 5 },
      trustedSearch: { query: 'brand', knownAsOf: null, limit: 5 },
      relationGraph: { itemIds: [idOf(1)], knownAsOf: null, maxDocuments: 5 },
      modelConsent: {},
    };
    const request = method in requests ? requests[method as keyof typeof requests] : { query: 'brand' };
    const outcome = await call(method, request).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'RESOURCE.NOT_FOUND' });
    else expect(outcome).toHaveProperty('facts');
  }
});
