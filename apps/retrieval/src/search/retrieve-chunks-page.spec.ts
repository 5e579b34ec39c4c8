import type { CallerScope } from '@candor/contracts';
import type { ItemHead } from '@candor/persistence/views';
import { aScope, idOf, RECORDED_AT } from '../testing/builders.js';
import { FixedEmbedder, InMemoryWorld, type PlacedChunk } from '../testing/in-memory-world.js';
import { ITEMS, PASSAGES, addItems as addItemsTo, itemsOf, retrieveFrom } from '../testing/in-memory-retrieval.js';
import { FUSION } from './fusion-settings.js';
import type { ChunkQuery, RetrievedPage } from './retrieval-run.js';
import type { PagePlan } from './select-page.js';

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

describe('page', () => {
  it('shows an item once, by its best chunk', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.5, content: 'worse' }, { cosine: 0.9, content: 'best' });
    const page = await retrieve();
    expect(page.entries.map((entry) => entry.chunk.content)).toEqual(['best']);
  });

  it('lets the lexical leg decide what is in the page', async () => {
    addItems(1, 3);
    world.addItem({ itemId: idOf(4) }, { cosine: 0.85, lexicalScore: 9 });
    world.addItem({ itemId: idOf(5) }, { cosine: 0.3 });
    expect(itemsOf(await retrieve({}, { limit: 1 }))).toEqual([idOf(4)]);
  });

  it('drops what lies below the floor and counts its items', async () => {
    addItems(1, 1);
    addItems(2, 3, { provider: 'slack' }, { cosine: 0.3, lexicalScore: 50 });
    const page = await retrieve({}, { floor: 0.4 });
    expect(itemsOf(page)).toEqual([idOf(1)]);
    expect(page.excluded.byProvider('relevance_floor')).toEqual([{ provider: 'slack', count: 2 }]);
  });

  it('does not count an item whose better chunk is shown', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.9 }, { cosine: 0.1 });
    expect((await retrieve({}, { floor: 0.4 })).excluded.totals()).toEqual({});
  });

  describe('an item that only its words have found', () => {
    const rule = { relevanceFloor: 0.4, cosineGuard: 0.6, wordWeight: 0.3, evidenceGuard: 0.95 };
    const first = FUSION.candidatesPerLeg(ITEMS.limit);
    const addNear = (upTo: number): void => {
      addItems(1, upTo);
      // The nearer passage is not among the nearest of all.
      world.addItem({ itemId: idOf(100) }, { cosine: 0.2, lexicalScore: 9 }, { cosine: 0.45 });
    };

    it('is not counted while a nearer passage of it may not be known', async () => {
      addNear(first);
      for (const isEmptied of [false, true]) {
        const text = isEmptied ? 'parental leave' : 'brand';
        const page = await retrieve({ text }, { floor: 0.4, rule, emptyUnlessRelevant: isEmptied });
        expect(page.entries).toHaveLength(isEmptied ? 0 : ITEMS.limit);
        expect(page.excluded.totals()).toEqual(isEmptied ? { relevance_floor: first } : {});
      }
    });

    it('is counted once the nearest of all are known down to what is too far', async () => {
      addItems(1, first - 1);
      addItems(first, first, {}, { cosine: 0.3 });
      world.addItem({ itemId: idOf(100) }, { cosine: 0.2, lexicalScore: 9 }, { cosine: 0.29 });
      const page = await retrieve({}, { floor: 0.4 });
      expect(page).toMatchObject({ rounds: 1 });
      expect(page.excluded.totals()).toEqual({ relevance_floor: 2 });
    });
  });

  it('counts near-duplicates once: the best is kept, the others are counted', async () => {
    addItems(1, 3, { contentHash: 'same' });
    addItems(4, 4);
    const page = await retrieve();
    expect(itemsOf(page)).toEqual([1, 4].map(idOf));
    expect(page.excluded.byProvider('duplicate')).toEqual([{ provider: 'notion', count: 2 }]);
  });

  it.each<[string, Partial<ItemHead>, string | undefined]>([
    ['has expired', { validUntil: new Date('2026-02-01T00:00:00.000Z') }, undefined],
    ['had expired then', { validUntil: new Date('2026-02-01T00:00:00.000Z') }, '2026-03-01T00:00:00.000Z'],
    ['does not hold yet', { validFrom: new Date('2999-01-01T00:00:00.000Z') }, undefined],
  ])('does not let a copy that %s hide one that holds, though it is nearer', async (_, head, knownAsOf) => {
    addItems(1, 2, { contentHash: 'same', ...head });
    addItems(3, 3, { contentHash: 'same' });
    const page = await retrieve({ knownAsOf });
    expect(itemsOf(page)).toEqual([idOf(3)]);
    expect(page.excluded.totals()).toEqual({ duplicate: 2 });
  });

  it('lets the nearest of several copies stand for all when none of them holds', async () => {
    addItems(1, 2, { contentHash: 'same', validUntil: new Date('2026-02-01T00:00:00.000Z') });
    expect(itemsOf(await retrieve())).toEqual([idOf(1)]);
    expect(itemsOf(await retrieve({ knownAsOf: '2026-01-15T00:00:00.000Z' }))).toEqual([idOf(1)]);
  });

  it('keeps a duplicate when the better copy is not the caller’s to see', async () => {
    addItems(1, 1, { contentHash: 'same', accessMode: 'acl', principals: ['user:b@x.org'] });
    addItems(2, 2, { contentHash: 'same' });
    const page = await retrieve({}, {}, aScope({ principals: ['user:a@x.org'] }));
    expect(itemsOf(page)).toEqual([idOf(2)]);
    expect(page.excluded.totals()).toEqual({});
  });
});

describe('relevance', () => {
  const rule = { relevanceFloor: 0.5, cosineGuard: 0.6, wordWeight: 0.3, evidenceGuard: 0.8 };
  const judged: Partial<PagePlan> = { floor: 0.5, rule, emptyUnlessRelevant: true };
  const text = 'What is our parental leave policy?';
  const addNear = (itemId: number, content: string, cosine = 0.65) =>
    world.addItem({ itemId: idOf(itemId), title: 'Untitled' }, { cosine, content });

  it('empties the page when nothing is, and counts what was found as below the floor', async () => {
    addNear(1, 'Security policy');
    addNear(2, 'Leave the keys');
    const page = await retrieve({ text }, judged);
    expect(page).toMatchObject({ entries: [], relevant: false, rounds: 1 });
    expect(page.excluded.totals()).toEqual({ relevance_floor: 2 });
  });

  it('shows everything above the floor as soon as one passage is', async () => {
    addNear(1, 'Security policy');
    addNear(2, 'Parental leave');
    const page = await retrieve({ text }, judged);
    expect(page).toMatchObject({ relevant: true });
    expect(itemsOf(page).sort()).toEqual([1, 2].map(idOf));
  });

  it('is told by title and headings too', async () => {
    world.addItem(
      { itemId: idOf(1), title: 'Parental leave' },
      { cosine: 0.65, sectionPath: ['Policy'], content: 'Sixteen weeks.' },
    );
    expect((await retrieve({ text }, judged)).relevant).toBe(true);
  });

  it('does not come from what the caller may not see', async () => {
    addNear(1, 'Security policy');
    addNear(2, 'Parental leave policy');
    world.changeHead(idOf(2), { accessMode: 'acl', principals: ['user:b@x.org'] });
    const page = await retrieve({ text }, judged, aScope({ principals: ['user:a@x.org'] }));
    expect(page).toMatchObject({ entries: [], relevant: false });
  });

  it('is reported without emptying the page where the plan says so', async () => {
    addNear(1, 'Security policy');
    const page = await retrieve({ text }, { ...judged, emptyUnlessRelevant: false });
    expect(page).toMatchObject({ relevant: false });
    expect(itemsOf(page)).toEqual([idOf(1)]);
  });

  it('shows a passage with the identifier asked for, however far away', async () => {
    addNear(1, 'ERR-4711: pump', 0.1);
    addNear(2, 'ERR-4712: valve', 0.1);
    const page = await retrieve({ text: 'What does ERR-4711 mean?' }, judged);
    expect(itemsOf(page)).toEqual([idOf(1)]);
  });

  it('counts a passage with the identifier asked for that was replaced, however far away, and none without', async () => {
    addNear(1, 'ERR-4711: pump', 0.1);
    addNear(2, 'ERR-4712: valve', 0.1);
    addNear(3, 'ERR-4711: hose', 0.1);
    for (const number of [1, 2, 3]) world.changeHead(idOf(number), { superseded: true });
    world.changeHead(idOf(3), { accessMode: 'acl', principals: ['user:b@x.org'] });
    const query = { text: 'What does ERR-4711 mean?' };
    const page = await retrieve(query, judged, aScope({ principals: ['user:a@x.org'] }));
    expect(page.entries).toEqual([]);
    expect(page.excluded.totals()).toEqual({ superseded: 1, withheld: 1 });
  });

  it('looks on for what of a replaced item has the identifier, and counts it', async () => {
    const first = FUSION.candidatesPerLeg(ITEMS.limit);
    world.addItem(
      { itemId: idOf(1), superseded: true },
      { cosine: 0.7, content: 'A pump' },
      { cosine: 0.1, lexicalScore: 1, content: 'A long text on ERR-4711' },
    );
    addItems(2, first + 1, {}, { cosine: 0.2, lexicalScore: 9, content: 'ERR 12' });
    const page = await retrieve({ text: 'ERR-4711' }, { ...judged, floor: 0.75 });
    expect(page.excluded.totals()).toMatchObject({ superseded: 1 });
  });

  it('gives up on an identifier that nothing near or with its words has, and says that there is nothing', async () => {
    addItems(1, 5_000, {}, { cosine: 0.2, lexicalScore: 1, content: 'ERR 12' });
    const page = await retrieve({ text: 'ERR-4711' }, judged);
    expect(page).toMatchObject({ entries: [], relevant: false, rounds: FUSION.maxRounds });
    expect(Math.max(...world.queries.map(({ query }) => query.k))).toBeLessThan(1_000);
  });

  it('looks further for an identifier when all that had it is gone, however far away the rest is', async () => {
    const first = FUSION.candidatesPerLeg(ITEMS.limit);
    for (let number = 1; number <= first; number += 1) {
      world.addItem({ itemId: idOf(number) }, { cosine: 0.1, lexicalScore: 9, content: 'ERR-4711' });
      world.deleteItem(idOf(number));
      world.addItem({ itemId: idOf(100 + number) }, { cosine: 0.3, content: 'A valve' });
    }
    world.addItem({ itemId: idOf(300) }, { cosine: 0.1, lexicalScore: 1, content: 'A long text on ERR-4711' });
    const page = await retrieve({ text: 'What does ERR-4711 mean?' }, judged);
    expect(itemsOf(page)).toEqual([idOf(300)]);
  });

  it('ends the search when a page full of candidates holds nothing relevant', async () => {
    for (let number = 1; number <= 2 * FUSION.candidatesPerLeg(ITEMS.limit); number += 1) addNear(number, 'Security');
    expect(await retrieve({ text }, judged)).toMatchObject({ entries: [], rounds: 1 });
  });

  it('goes on when all that was relevant is gone', async () => {
    const first = FUSION.candidatesPerLeg(ITEMS.limit);
    for (let number = 1; number <= first; number += 1) {
      addNear(number, 'Parental leave');
      world.deleteItem(idOf(number));
    }
    addNear(first + 1, 'Parental leave', 0.64);
    expect(itemsOf(await retrieve({ text }, judged))).toEqual([idOf(first + 1)]);
  });
});

describe('knownAsOf', () => {
  const T = '2026-03-01T00:00:00.000Z';
  const LATER = '2026-04-01T00:00:00.000Z';

  beforeEach(() => {
    addItems(1, 1, {}, { recordedAt: RECORDED_AT });
    addItems(2, 2, { notYetKnown: true, current: false }, { recordedAt: LATER });
  });

  it('leaves out what was recorded later', async () => {
    const page = await retrieve({ knownAsOf: T });
    expect(itemsOf(page)).toEqual([idOf(1)]);
    expect(world.queries).toHaveLength(1);
  });

  it('counts what was recorded later when it is asked to', async () => {
    const page = await retrieve({ knownAsOf: T, countNotYetKnown: true });
    expect(itemsOf(page)).toEqual([idOf(1)]);
    expect(page.excluded.byProvider('not_yet_known')).toEqual([{ provider: 'notion', count: 1 }]);
  });

  it('counts what was recorded later by its words too, where they would let it in', async () => {
    const rule = { relevanceFloor: 0.5, cosineGuard: 0.6, wordWeight: 0.3, evidenceGuard: 0.8 };
    for (const [number, content] of [
      [3, 'ERR-4711'],
      [4, 'ERR-4712'],
    ] as const) {
      const head = { itemId: idOf(number), notYetKnown: true, current: false };
      world.addItem(head, { cosine: 0.1, recordedAt: LATER, content });
    }
    const query = { text: 'ERR-4711', knownAsOf: T, countNotYetKnown: true };
    const page = await retrieve(query, { floor: 0.95, rule });
    expect(page.excluded.byProvider('not_yet_known')).toEqual([{ provider: 'notion', count: 1 }]);
  });

  it('counts nothing later that the caller may not see', async () => {
    world.changeHead(idOf(2), { accessMode: 'acl', principals: ['user:b@x.org'] });
    const scope = aScope({ principals: ['user:a@x.org'] });
    const page = await retrieve({ knownAsOf: T, countNotYetKnown: true }, {}, scope);
    expect(page.excluded.byProvider('not_yet_known')).toEqual([]);
  });
});

describe('passages', () => {
  const section = idOf(501);

  it('are sections and paragraphs, several of an item, each once', async () => {
    world.addItem(
      { itemId: idOf(1) },
      { cosine: 0.9, level: 'document', content: 'All of it.' },
      { cosine: 0.8, level: 'section', chunkId: section, sectionPath: ['Colour'], content: 'Colour\nLime.' },
      { cosine: 0.7, level: 'paragraph', parentId: section, content: 'Lime.' },
      { cosine: 0.6, level: 'paragraph', content: 'Fonts.' },
    );
    const page = await retrieve({}, PASSAGES);
    expect(page.entries.map((entry) => entry.chunk.content)).toEqual(['Colour\nLime.', 'Fonts.']);
  });

  it('leave out chunks that were shown before', async () => {
    world.addItem(
      { itemId: idOf(1) },
      { cosine: 0.9, chunkId: idOf(601) },
      { cosine: 0.8, chunkId: idOf(602), content: 'b' },
    );
    const page = await retrieve({ excludeChunkIds: [idOf(601)] }, PASSAGES);
    expect(page.entries.map((entry) => entry.chunk.chunkId)).toEqual([idOf(602)]);
  });

  it('end where the best one leaves the rest far behind', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.8 }, { cosine: 0.5, content: 'b' }, { cosine: 0.44, content: 'c' });
    const page = await retrieve({}, { ...PASSAGES, floor: 0.1, tailShare: 0.5 });
    expect(page.entries.map((entry) => entry.cosine)).toEqual([0.8, 0.5]);
  });

  it('do not mix two copies of the same text', async () => {
    world.addItem({ itemId: idOf(1), contentHash: 'same' }, { cosine: 0.9 }, { cosine: 0.5, content: 'b' });
    world.addItem({ itemId: idOf(2), contentHash: 'same' }, { cosine: 0.89 }, { cosine: 0.6, content: 'b' });
    const page = await retrieve({}, PASSAGES);
    expect(itemsOf(page)).toEqual([idOf(1), idOf(1)]);
  });
});
