import { cosineOf } from '../merge-legs.js';
import type { ChunkDocument, ChunkFilter } from '../search-index.port.js';
import { buildChunk, DIMENSIONS, openFilter, putVersion } from './chunk-builder.js';
import { IndexFixture, type IndexUnderTest } from './index-fixture.js';
import { permitsChunk } from './permits-chunk.js';

/** So many that a thousandth of them is more than a page. */
const CHUNKS = 12_000;
const PAGE = 10;
const QUERIES = 10;
/** Of the nearest, where the graph is approximate. Far below what was measured (docs/reference/speed.md). */
const LEAST_RECALL = 0.9;

/** The same numbers every time (mulberry32), so that a graph that is built of them is too. */
function buildRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function buildDirection(random: () => number): Float32Array {
  const numbers = Array.from({ length: DIMENSIONS }, () => random() * 2 - 1);
  const length = Math.hypot(...numbers);
  return Float32Array.from(numbers, (number) => number / length);
}

/** Whom the chunk of a number is for: each of the three sees a smaller share of all. */
function readersOf(number: number): string[] {
  return [
    ...(number % 10 === 0 ? ['group:tenth'] : []),
    ...(number % 100 === 0 ? ['channel:hundredth'] : []),
    ...(number % 1_000 === 0 ? ['domain:thousandth.example'] : []),
    'user:everything',
  ];
}

/** Full pages at 0.1 %, 1 %, 10 % and all of a few thousand chunks, in both legs, by access and by scope. */
export function describeSelectivity(open: () => IndexUnderTest): void {
  const random = buildRandom(20_260_101);
  let index: IndexFixture;
  let chunks: ChunkDocument[];

  beforeAll(async () => {
    index = await new IndexFixture(open()).create();
    chunks = Array.from({ length: CHUNKS }, (_, number) =>
      buildChunk(index.tenantId, {
        chunkId: `chunk${number}`,
        itemId: `item${number}`,
        accessMode: 'acl',
        principals: readersOf(number),
        content: `walrus number ${number}`,
        vector: buildDirection(random),
      }),
    );
    for (let start = 0; start < CHUNKS; start += 1_000) {
      const batch = chunks.slice(start, start + 1_000);
      await index.apply(...batch.map((chunk) => ({ ...putVersion(chunk), isFirst: true })));
    }
  });

  const shares: [string, Partial<ChunkFilter>, number][] = [
    ['0.1 %, by domain', { principals: ['domain:thousandth.example'] }, 12],
    ['1 %, by channel', { principals: ['channel:hundredth'] }, 120],
    ['10 %, by group', { principals: ['group:tenth'] }, 1_200],
    ['all, by user', { principals: ['user:everything'] }, CHUNKS],
    ['0.1 %, by scope', { itemIds: Array.from({ length: 12 }, (_, number) => `item${number * 997}`) }, 12],
    ['1 %, by scope', { itemIds: Array.from({ length: 120 }, (_, number) => `item${number * 97}`) }, 120],
    ['10 %, by scope and group', { principals: ['group:tenth'], itemIds: everyTenth(CHUNKS) }, 1_200],
  ];
  it.each(shares)('of %s', async (_name, parts, count) => {
    const filter = openFilter(index.tenantId, parts);
    const permitted = chunks.filter((chunk) => permitsChunk(filter, chunk));
    expect(permitted).toHaveLength(count);
    const allowed = new Set(permitted.map((chunk) => chunk.chunkId));
    const full = Math.min(PAGE, count);
    let nearestFound = 0;
    for (let round = 0; round < QUERIES; round += 1) {
      const vector = buildDirection(random);
      const { candidates, exact } = await index.search({ filter, vector, text: 'walrus', k: PAGE });
      expect(candidates.filter(({ chunk }) => !allowed.has(chunk.chunkId))).toEqual([]);
      const dense = candidates.filter(({ denseRank }) => denseRank !== null);
      expect(dense).toHaveLength(full);
      expect(candidates.filter(({ lexicalRank }) => lexicalRank !== null)).toHaveLength(full);

      const limit = permitted
        .map((chunk) => cosineOf(vector, chunk.vector))
        .sort((left, right) => right - left)
        .at(full - 1)!;
      const nearest = dense.filter(({ cosine }) => cosine >= limit - 1e-5);
      if (exact) expect(nearest).toHaveLength(full);
      nearestFound += nearest.length;
    }
    expect(nearestFound / (QUERIES * full)).toBeGreaterThanOrEqual(LEAST_RECALL);
  });
}

function everyTenth(count: number): string[] {
  return Array.from({ length: count / 10 }, (_, number) => `item${number * 10}`);
}
