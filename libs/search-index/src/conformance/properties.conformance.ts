import fc from 'fast-check';
import { PROVIDERS } from '@candor/contracts';
import { cosineOf } from '../merge-legs.js';
import type { ChunkDocument, ChunkFilter } from '../search-index.port.js';
import { buildChunk, DIMENSIONS, HOSTILE_STRINGS, putVersion } from './chunk-builder.js';
import { asFound, IndexFixture, type IndexUnderTest } from './index-fixture.js';
import { permitsChunk } from './permits-chunk.js';

const INSTANTS = ['2024-01-01T00:00:00.000Z', '2024-01-02T00:00:00.000Z', '2024-01-03T12:00:00.500Z'];
const NAMES = ['user:a', 'user:b', 'group:x', 'anyone', HOSTILE_STRINGS[0]!, HOSTILE_STRINGS[1]!];
const WORDS = ['walrus', 'boats', 'harbour', 'the', 'reading', 'naïve'];

const instant = fc.constantFrom(...INSTANTS);
const provider = fc.constantFrom(...PROVIDERS);
const direction = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .filter((numbers) => numbers.some((number) => number !== 0))
  .map((numbers) => Float32Array.from(numbers, (number) => number / Math.hypot(...numbers)));
const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));

const chunkParts = fc.record({
  provider,
  accessMode: fc.constantFrom('provider_scope' as const, 'acl' as const, 'unknown' as const),
  principals: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 }),
  title: text,
  content: text,
  vector: direction,
  sourceUpdatedAt: fc.option(instant),
});
/** Each item as its versions, oldest first. */
const corpus = fc.array(fc.array(chunkParts, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 30 });

const ids = (prefix: string): fc.Arbitrary<string[]> =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 8 })
    .map((numbers) => numbers.map((each) => `${prefix}${each}`));
const filterParts = fc.record(
  {
    providers: fc.option(fc.uniqueArray(provider, { maxLength: 5 })),
    principals: fc.option(fc.uniqueArray(fc.constantFrom(...NAMES, 'user:z'), { maxLength: 3 })),
    itemIds: fc.option(ids('item'), { freq: 3 }),
    excludeItemIds: ids('item'),
    excludeChunkIds: ids('chunk').map((each) => each.map((id) => `${id}/1`)),
    updatedAfter: instant,
    updatedBefore: instant,
    knownAsOf: instant,
  },
  { requiredKeys: ['providers', 'principals', 'itemIds'] },
);
const query = fc.record({ filter: filterParts, vector: direction, text, k: fc.integer({ min: 1, max: 40 }) });

/** Versions get the instants in turn, as they are recorded and superseded. */
function buildCorpus(tenantId: string, items: readonly Partial<ChunkDocument>[][]): [ChunkDocument, string | null][] {
  return items.flatMap((versions, item) => {
    const newest = versions.at(-1);
    return versions.map((parts, position): [ChunkDocument, string | null] => [
      buildChunk(tenantId, {
        ...parts,
        // Access always follows the newest version.
        accessMode: newest!.accessMode!,
        principals: newest!.principals!,
        chunkId: `chunk${item}/${position + 1}`,
        itemId: `item${item}`,
        version: position + 1,
        recordedAt: INSTANTS[position]!,
      }),
      position + 1 < versions.length ? INSTANTS[position + 1]! : null,
    ]);
  });
}

/** For random corpora, keys and filters: never a chunk too many, the page full, and exact where the index says so. */
export function describeProperties(open: () => IndexUnderTest): void {
  it('answers with permitted chunks, all of them when they fit, and the nearest ones when exact', async () => {
    const index = await new IndexFixture(open()).create();
    await fc.assert(
      fc.asyncProperty(corpus, fc.array(query, { minLength: 4, maxLength: 8 }), async (items, queries) => {
        await empty(index);
        const chunks = buildCorpus(index.tenantId, items);
        // Published one by one in time, so every version before the last has been live once.
        for (let version = 1; version <= INSTANTS.length; version += 1) {
          const now = chunks.filter(([chunk]) => chunk.version === version);
          await index.apply(...now.map(([chunk]) => putVersion(chunk)));
        }
        for (const { filter: parts, ...rest } of queries) {
          const filter: ChunkFilter = { tenantId: index.tenantId, ...parts };
          const permitted = chunks.filter((pair) => permitsChunk(filter, ...pair)).map(([chunk]) => chunk);
          const { candidates, exact } = await index.search({ filter, ...rest });
          const allowed = new Map(permitted.map((chunk) => [chunk.chunkId, chunk]));
          for (const { chunk } of candidates) expect(asFound(chunk)).toEqual(asFound(allowed.get(chunk.chunkId)!));

          const dense = candidates
            .filter((candidate) => candidate.denseRank !== null)
            .sort((left, right) => left.denseRank! - right.denseRank!);
          expect(dense).toHaveLength(Math.min(rest.k, permitted.length));
          expect(dense.map((candidate) => candidate.denseRank)).toEqual(dense.map((_, position) => position + 1));
          const lexical = candidates.filter((candidate) => candidate.lexicalRank !== null);
          expect(lexical.length).toBeLessThanOrEqual(rest.k);
          for (const candidate of candidates) {
            const truth = cosineOf(rest.vector, allowed.get(candidate.chunk.chunkId)!.vector);
            expect(Math.abs(candidate.cosine - truth)).toBeLessThan(1e-5);
          }
          if (exact) {
            // By value, since chunks may be equally near.
            const nearest = permitted
              .map((chunk) => cosineOf(rest.vector, chunk.vector))
              .sort((left, right) => right - left);
            dense.forEach((candidate, position) => expect(candidate.cosine).toBeCloseTo(nearest[position]!, 5));
          }
        }
      }),
      { numRuns: 15 },
    );
  });
}

/** Between corpora; making an index anew takes a server longer. */
async function empty(index: IndexFixture): Promise<void> {
  const items = new Set((await index.versions()).map((version) => version.itemId));
  await index.apply(...[...items].map((itemId) => ({ kind: 'delete-item' as const, itemId })));
}
