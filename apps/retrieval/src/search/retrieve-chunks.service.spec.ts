import { jest } from '@jest/globals';
import { AppError, PROVIDERS, type CallerScope, type Provider } from '@candor/contracts';
import { EmbedderRegistry, findRelevanceProfile, HashingEmbedder, type RelevanceProfile } from '@candor/embeddings';
import type { ItemHead } from '@candor/persistence/views';
import { aKey, aScope, idOf, TENANT } from '../testing/builders.js';
import { FixedEmbedder, GENERATION, InMemoryWorld, type PlacedChunk } from '../testing/in-memory-world.js';
import { ITEMS, addItems as addItemsTo, itemsOf, retrieveFrom } from '../testing/in-memory-retrieval.js';
import { FUSION } from './fusion-settings.js';
import type { ChunkQuery, RetrievedPage } from './retrieval-run.js';
import { RetrieveChunksService } from './retrieve-chunks.service.js';
import type { PagePlan } from './select-page.js';

const never = new AbortController().signal;

let world: InMemoryWorld;
let embedder: FixedEmbedder;

beforeEach(() => {
  world = new InMemoryWorld();
  embedder = new FixedEmbedder();
});

const retrieve = (
  query?: Partial<ChunkQuery>,
  plan?: Partial<PagePlan>,
  scope?: CallerScope,
  signal?: AbortSignal,
): Promise<RetrievedPage> => retrieveFrom(world, embedder, query, plan, scope, signal);
const addItems = (from: number, to: number, head?: Partial<ItemHead>, chunk?: Partial<PlacedChunk>): void =>
  addItemsTo(world, from, to, head, chunk);

describe('the query', () => {
  it('is trimmed for the model and for the lexical leg', async () => {
    addItems(1, 1);
    await retrieve({ text: '  brand \n' });
    expect(embedder.queries).toEqual(['brand']);
    expect(world.queries[0]?.query.text).toBe('brand');
  });

  it('asks the live generation of the caller’s tenant, with the whole scope in the filter', async () => {
    addItems(1, 1);
    await retrieve(
      { providers: ['notion', 'gmail'], updatedAfter: '2026-01-01T00:00:00Z', knownAsOf: '2026-02-01T00:00:00Z' },
      {},
      aScope({ allowedProviders: ['notion', 'slack'], principals: ['user:a@x.org'] }),
    );
    expect(world.queries).toHaveLength(1);
    expect(world.queries[0]?.address).toEqual({ tenantId: TENANT, generation: GENERATION.name });
    expect(world.queries[0]?.query.filter).toEqual({
      tenantId: TENANT,
      providers: ['notion'],
      principals: ['user:a@x.org'],
      itemIds: null,
      updatedAfter: '2026-01-01T00:00:00Z',
      knownAsOf: '2026-02-01T00:00:00Z',
    });
  });

  it('finds nothing, without an error, while there is no live generation', async () => {
    world.generation = null;
    const page = await retrieve();
    expect(page).toMatchObject({ entries: [], candidates: 0, generation: null, exact: true });
    expect(world.queries).toEqual([]);
  });

  it('is embedded with the model that the live generation was built with, whatever is configured', async () => {
    addItems(1, 1);
    const stored = { provider: 'hashing', model: 'hashing', revision: '1', dimensions: 4, maxTokens: 8_192 };
    world.generation = { ...GENERATION, name: 'g2', embedding: stored };
    const planned: RelevanceProfile[] = [];
    const service = new RetrieveChunksService(world, world, EmbedderRegistry.around(embedder));
    const plan = (relevance: RelevanceProfile): PagePlan => (planned.push(relevance), ITEMS);
    await service.retrieve(aScope(), { text: 'brand colour' }, plan, never);
    expect(embedder.queries).toEqual([]);
    expect(world.queries[0]?.address.generation).toBe('g2');
    const own = await new HashingEmbedder({ dimensions: 4 }).embedQuery('brand colour');
    expect(await world.queries[0]?.query.vector).toEqual(own);
    expect(planned).toEqual([findRelevanceProfile({ model: 'hashing' })]);
  });

  it('stays with one generation, also when another one becomes live between two rounds', async () => {
    addItems(1, FUSION.candidatesPerLeg(ITEMS.limit) * 2);
    world.beforeRecheck = () => {
      world.generation = { ...GENERATION, name: 'g2' };
      for (let number = 1; number <= FUSION.candidatesPerLeg(ITEMS.limit); number += 1) world.deleteItem(idOf(number));
    };
    const page = await retrieve();
    expect(page.rounds).toBeGreaterThan(1);
    for (const { address } of world.queries) expect(address.generation).toBe(GENERATION.name);
    expect(page.generation?.name).toBe(GENERATION.name);
  });

  it('searches what is live, also when another generation was live the time before', async () => {
    addItems(1, 1);
    const service = new RetrieveChunksService(world, world, EmbedderRegistry.around(embedder));
    const search = (): Promise<RetrievedPage> => service.retrieve(aScope(), { text: 'brand' }, () => ITEMS, never);
    await search();
    for (const name of ['g2', 'g3']) {
      world.generation = { ...GENERATION, id: idOf(900 + Number(name.slice(1))), name };
      expect((await search()).generation?.name).toBe(name);
      expect(world.queries.at(-1)?.address.generation).toBe(name);
      const asked = world.queries.length;
      expect((await search()).generation?.name).toBe(name);
      expect(world.queries).toHaveLength(asked + 1);
    }
    world.generation = null;
    expect(await search()).toMatchObject({ entries: [], generation: null });
  });

  it('learns with the recheck which generation is live, once one is known', async () => {
    let reads = 0;
    world.liveGeneration = async () => ((reads += 1), world.generation);
    const service = new RetrieveChunksService(world, world, EmbedderRegistry.around(embedder));
    const search = () => service.retrieve(aScope(), { text: 'x' }, () => ITEMS, new AbortController().signal);
    for (const rechecks of [1, 2, 3]) {
      await search();
      expect([reads, world.rechecks]).toEqual([1, rechecks]);
    }
    world.generation = { ...GENERATION, id: idOf(903), name: 'g3' };
    expect((await search()).generation?.name).toBe('g3');
    expect([reads, world.rechecks]).toEqual([1, 5]);
  });

  it('forgets what went wrong with a generation that is no longer live', async () => {
    addItems(1, 1);
    const service = new RetrieveChunksService(world, world, EmbedderRegistry.around(embedder));
    const search = (): Promise<RetrievedPage> => service.retrieve(aScope(), { text: 'brand' }, () => ITEMS, never);
    await search();
    const gone = new AppError('DEPENDENCY.INDEX_UNAVAILABLE');
    const find = jest.spyOn(world, 'findCandidates').mockRejectedValueOnce(gone);
    await expect(search()).rejects.toBe(gone);
    find.mockRejectedValueOnce(gone);
    world.generation = { ...GENERATION, id: idOf(902), name: 'g2' };
    expect((await search()).entries).toHaveLength(1);
  });

  it('has its words looked up while it is embedded', async () => {
    addItems(1, 1);
    const asked = new Promise<void>((resolve) => {
      const find = world.findCandidates.bind(world);
      jest.spyOn(world, 'findCandidates').mockImplementation((...query) => (resolve(), find(...query)));
    });
    const embedQuery = embedder.embedQuery.bind(embedder);
    jest.spyOn(embedder, 'embedQuery').mockImplementation(async (...query) => (await asked, embedQuery(...query)));
    expect((await retrieve()).entries).toHaveLength(1);
  });

  it('fails when the model of the index can’t be opened, instead of searching with another one', async () => {
    addItems(1, 1);
    const stored = { provider: 'onnx', model: 'bge-small-en-v1.5-q', revision: 'x', dimensions: 384, maxTokens: 512 };
    world.generation = { ...GENERATION, embedding: stored };
    await expect(retrieve()).rejects.toMatchObject({ code: 'EMBEDDINGS.PROFILE_MISMATCH' });
  });
});

describe('scope', () => {
  beforeEach(() => {
    addItems(1, 4);
    world.collections.set('c', [idOf(2), idOf(3)]);
    world.collections.set('empty', []);
  });

  it.each<[string, Partial<ChunkQuery>, number[]]>([
    ['an item', { sourceItemId: idOf(4) }, [4]],
    ['a collection', { collectionId: 'c' }, [2, 3]],
    ['an item inside the collection', { collectionId: 'c', sourceItemId: idOf(3) }, [3]],
    ['an item outside of the collection', { collectionId: 'c', sourceItemId: idOf(1) }, []],
    ['an unknown collection', { collectionId: 'nowhere' }, []],
    ['an empty collection', { collectionId: 'empty' }, []],
    ['an unknown item', { sourceItemId: idOf(99) }, []],
  ])('%s: never wider', async (_, query, expected) => {
    expect(itemsOf(await retrieve(query))).toEqual(expected.map(idOf));
  });

  it('checks the key also when the scope is empty', async () => {
    world.key = null;
    await expect(retrieve({ collectionId: 'nowhere' })).rejects.toMatchObject({ code: 'AUTH.INVALID_KEY' });
  });
});

describe('recheck', () => {
  it('refuses a key that was revoked after the token was signed', async () => {
    addItems(1, 3);
    world.beforeRecheck = () => {
      world.key = null;
    };
    await expect(retrieve()).rejects.toMatchObject({ code: 'AUTH.INVALID_KEY' });
  });

  it('refuses a key of another tenant', async () => {
    world.key = aKey({ tenantId: idOf(77) });
    await expect(retrieve()).rejects.toMatchObject({ code: 'AUTH.INVALID_KEY' });
  });

  it('applies a provider taken away meanwhile, and fills the page with others', async () => {
    addItems(1, 80, { provider: 'slack' });
    addItems(81, 90);
    world.key = aKey({ allowedProviders: ['notion'] });
    const page = await retrieve();
    expect(itemsOf(page)).toEqual([81, 82, 83].map(idOf));
    expect(page.scope.allowedProviders).toEqual(['notion']);
    expect(world.queries.at(-1)?.query.filter.providers).toEqual(['notion']);
  });

  it('applies a principal taken away meanwhile', async () => {
    addItems(1, 2, { accessMode: 'acl', principals: ['group:eng@x.org'] });
    addItems(3, 3, { accessMode: 'acl', principals: ['user:a@x.org'] });
    world.key = aKey({ principals: ['user:a@x.org'] });
    const page = await retrieve({}, {}, aScope({ principals: ['user:a@x.org', 'group:eng@x.org'] }));
    expect(itemsOf(page)).toEqual([idOf(3)]);
    expect(page.excluded.totals()).toEqual({ withheld: 2 });
  });

  it('does not take a wider key for the token’s scope', async () => {
    addItems(1, 1, { provider: 'slack' });
    addItems(2, 2);
    const page = await retrieve({}, {}, aScope({ allowedProviders: ['notion'] }));
    expect(itemsOf(page)).toEqual([idOf(2)]);
  });

  it('drops what was deleted, edited or closed since the index was refreshed', async () => {
    addItems(1, 4);
    world.deleteItem(idOf(1));
    world.changeHead(idOf(2), { current: false });
    world.changeHead(idOf(3), { accessMode: 'unknown' });
    const page = await retrieve({}, {}, aScope({ principals: ['user:a@x.org'] }));
    expect(itemsOf(page)).toEqual([idOf(4)]);
    expect(page.excluded.totals()).toEqual({ gone: 2, withheld: 1 });
  });

  it('drops and counts what a newer item replaces', async () => {
    addItems(1, 3);
    world.changeHead(idOf(1), { superseded: true });
    const page = await retrieve();
    expect(itemsOf(page)).toEqual([2, 3].map(idOf));
    expect(page.excluded.byProvider('superseded')).toEqual([{ provider: 'notion', count: 1 }]);
  });

  it('lets nothing that is hidden move a score', async () => {
    addItems(1, 3, {}, { lexicalScore: 5 });
    const alone = await retrieve();
    world.addItem({ itemId: idOf(9), provider: 'gmail' }, { cosine: 1, lexicalScore: 100 });
    world.deleteItem(idOf(9));
    const beside = await retrieve();
    expect(beside.entries.map((entry) => entry.fused)).toEqual(alone.entries.map((entry) => entry.fused));
  });
});

describe('refill', () => {
  const first = FUSION.candidatesPerLeg(ITEMS.limit);

  it('goes on when everything found was deleted', async () => {
    addItems(1, first + 5);
    for (let number = 1; number <= first; number += 1) world.deleteItem(idOf(number));
    const page = await retrieve();
    expect(itemsOf(page)).toEqual([1, 2, 3].map((offset) => idOf(first + offset)));
    expect(page.rounds).toBe(2);
    expect(world.queries[1]?.query.k).toBe(first * FUSION.refillGrowth);
    expect(world.queries[1]?.query.filter.excludeItemIds).toHaveLength(first);
  });

  it('reaches other items when one item’s chunks fill the candidates', async () => {
    const chunks = Array.from({ length: first + 20 }, () => ({ cosine: 0.95 }));
    world.addItem({ itemId: idOf(1) }, ...chunks);
    addItems(2, 6);
    expect(itemsOf(await retrieve())).toEqual([1, 2, 3].map(idOf));
  });

  it('does not ask again when the index has no more', async () => {
    addItems(1, 2);
    expect((await retrieve()).rounds).toBe(1);
  });

  it('does not ask again for what is less similar than the floor', async () => {
    addItems(1, 2);
    addItems(3, first + 20, {}, { cosine: 0.2 });
    const page = await retrieve({}, { floor: 0.5 });
    expect(page.rounds).toBe(1);
    expect(itemsOf(page)).toEqual([1, 2].map(idOf));
  });

  it('reaches what is left when the index lags behind by thousands of items', async () => {
    addItems(1, 2_000);
    for (let number = 1; number < 2_000; number += 1) world.deleteItem(idOf(number));
    const page = await retrieve();
    expect(itemsOf(page)).toEqual([idOf(2_000)]);
    // What isn't there any more isn't counted for the caller.
    expect(page.candidates).toBe(1);
  });

  describe('past more than it can look at', () => {
    const growth = FUSION.refillGrowth;
    const most = first * (1 + growth + growth ** 2 + growth ** 3 + growth ** 4) + 10;
    beforeEach(() => addItems(1, 2));

    it.each<[string, Partial<ItemHead>]>([
      ['deleted', {}],
      ['edited', { current: false }],
      ['closed to the caller', { accessMode: 'unknown' }],
    ])('fails rather than pass off as whole what is left beside all that was %s', async (meanwhile, head) => {
      addItems(3, most, head, { accessMode: 'provider_scope' });
      if (meanwhile === 'deleted')
        for (let number = 3; number <= most; number += 1) world.heads.delete(`${idOf(number)}:1`);
      addItems(most + 1, most + 5);
      await expect(retrieve({}, {}, aScope({ principals: ['user:a@x.org'] }))).rejects.toMatchObject({
        code: 'DEPENDENCY.INDEX_UNAVAILABLE',
        retryAfterSeconds: expect.any(Number),
      });
      expect(world.queries).toHaveLength(FUSION.maxRoundsPastRejected);
    });

    it('shows what is left beside all that was replaced: to try again would change nothing', async () => {
      addItems(3, most, { superseded: true });
      const page = await retrieve();
      expect(itemsOf(page)).toEqual([1, 2].map(idOf));
      expect(page.excluded.totals().superseded).toBeGreaterThan(growth ** 4 * first);
    });
  });

  it('reaches what is left behind many that were replaced', async () => {
    addItems(1, 1_999, { superseded: true });
    addItems(2_000, 2_000);
    expect(itemsOf(await retrieve())).toEqual([idOf(2_000)]);
  });

  it('stops when the signal fires between rounds', async () => {
    addItems(1, first + 5);
    for (let number = 1; number <= first; number += 1) world.deleteItem(idOf(number));
    const controller = new AbortController();
    world.beforeRecheck = () => controller.abort();
    await expect(retrieve({}, {}, aScope(), controller.signal)).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
    expect(world.queries).toHaveLength(1);
  });

  it('fills the page with permitted items whenever enough exist, and with no others', async () => {
    const providers: readonly Provider[] = PROVIDERS;
    for (let number = 1; number <= 100; number += 1) {
      const provider = providers[number % providers.length]!;
      world.addItem({ itemId: idOf(number), provider }, { cosine: ((number * 37) % 100) / 100 });
    }
    const page = await retrieve(
      { providers: ['gmail'] },
      { limit: 20 },
      aScope({ allowedProviders: ['gmail', 'slack'] }),
    );
    expect(page.entries).toHaveLength(20);
    expect(new Set(page.entries.map((entry) => entry.head.provider))).toEqual(new Set(['gmail']));
  });
});
