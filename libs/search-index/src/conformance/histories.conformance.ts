import fc from 'fast-check';
import { PROVIDERS } from '@candor/contracts';
import type { ChunkDocument, ChunkFilter, ChunkMetadata, IndexOperation } from '../search-index.port.js';
import { buildChunk, openFilter, putVersion, unitVector } from './chunk-builder.js';
import { IndexFixture, type IndexUnderTest, isSmall } from './index-fixture.js';
import { permitsChunk } from './permits-chunk.js';

const PEOPLE = ['user:ann', 'group:crew', 'channel:C1', 'domain:x.example', 'anyone'];
const START = Date.parse('2026-01-01T00:00:00.000Z');
/** Hours after the start. */
const at = (hour: number): string => new Date(START + hour * 3_600_000).toISOString();

type Access = Pick<ChunkDocument, 'accessMode' | 'principals'>;
const access: fc.Arbitrary<Access> = fc.record({
  accessMode: fc.constantFrom('provider_scope' as const, 'acl' as const, 'acl' as const, 'unknown' as const),
  principals: fc.uniqueArray(fc.constantFrom(...PEOPLE), { maxLength: 2 }),
});
const step = fc.record({
  item: fc.integer({ min: 0, max: 3 }),
  kind: fc.constantFrom('edit', 'edit', 'edit', 'access', 'delete', 'repeat', 'late', 'settle'),
  chunks: fc.integer({ min: 1, max: 2 }),
  provider: fc.constantFrom(...PROVIDERS.slice(0, 2)),
  access,
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
const scope = fc.record({
  providers: fc.option(fc.uniqueArray(fc.constantFrom(...PROVIDERS.slice(0, 2)), { minLength: 1, maxLength: 2 })),
  principals: fc.option(fc.uniqueArray(fc.constantFrom(...PEOPLE), { maxLength: 2 })),
});

/** One version of an item, as the truth has it. */
interface Version {
  chunks: ChunkDocument[];
  supersededAt: string | null;
}

/** What the steps mean, kept in plain lists: the judge of what the index says. */
class Model {
  private readonly items = new Map<string, Version[]>();
  /** A deleted item keeps its id for ever; what comes after is another one. */
  private readonly lives = new Map<number, number>();

  constructor(private readonly tenantId: string) {}

  idOf(item: number): string {
    return `item${item}/${this.lives.get(item) ?? 0}`;
  }

  /** The operations of a step at an hour. */
  take({ item, kind, ...parts }: Step, hour: number): IndexOperation[] {
    const itemId = this.idOf(item);
    const versions = this.items.get(itemId) ?? [];
    const live = versions.at(-1);
    switch (kind) {
      case 'edit': {
        const recordedAt = at(hour);
        const provider = live?.chunks[0]?.provider ?? parts.provider;
        const chunks = Array.from({ length: parts.chunks }, (_, ordinal) =>
          buildChunk(this.tenantId, {
            ...parts.access,
            itemId,
            provider,
            recordedAt,
            ordinal,
            chunkId: `${itemId}/${versions.length + 1}/${ordinal}`,
            version: versions.length + 1,
            content: `words of hour ${hour}`,
            vector: unitVector(1, hour, ordinal),
          }),
        );
        if (live) live.supersededAt = recordedAt;
        this.items.set(itemId, [...versions, { chunks, supersededAt: null }]);
        this.open(itemId, parts.access);
        return [putVersion(...chunks)];
      }
      case 'access':
        if (!live) return [];
        this.open(itemId, parts.access);
        return [{ kind: 'update-metadata', itemId, metadata: metadataOf(live) }];
      case 'delete':
        this.items.delete(itemId);
        this.lives.set(item, (this.lives.get(item) ?? 0) + 1);
        return [{ kind: 'delete-item', itemId }];
      case 'repeat':
        return live ? [putVersion(...live.chunks)] : [];
      case 'late':
        // A job that was held up: its version is long superseded.
        return versions.length > 1 && versions[0] ? [putVersion(...versions[0].chunks)] : [];
      case 'settle':
        return live ? [{ kind: 'settle-version', itemId, version: versions.length, recordedAt: at(hour) }] : [];
    }
    return [];
  }

  /** Who may see an item is a fact of today, also for its old versions. */
  private open(itemId: string, { accessMode, principals }: Access): void {
    for (const version of this.items.get(itemId) ?? [])
      version.chunks = version.chunks.map((chunk) => ({ ...chunk, accessMode, principals }));
  }

  permitted(filter: ChunkFilter): string[] {
    return [...this.items.values()]
      .flat()
      .flatMap(({ chunks, supersededAt }) => chunks.filter((chunk) => permitsChunk(filter, chunk, supersededAt)))
      .map((chunk) => chunk.chunkId)
      .sort();
  }

  /** As a generation is built anew: the past first. */
  rebuild(): IndexOperation[] {
    return [...this.items.values()].flat().map(({ chunks, supersededAt }): IndexOperation => {
      const put = putVersion(...chunks);
      if (supersededAt === null || put.kind !== 'put-version') return put;
      const { itemId, version } = put;
      return { kind: 'put-superseded', itemId, version, supersededAt, chunks };
    });
  }
}

function metadataOf({ chunks: [chunk] }: Version): ChunkMetadata {
  const { accessMode, principals, title, sourceUpdatedAt, validFrom, validUntil, tags } = chunk ?? buildChunk('');
  return { accessMode, principals, title, sourceUpdatedAt, validFrom, validUntil, tags };
}

/** Random histories: as of any time, every scope finds what was known then, and nothing else; an index built anew too. */
export function describeHistories(open: () => IndexUnderTest): void {
  it('finds as of any time exactly what was known then, also in an index built anew', async () => {
    const index = await new IndexFixture(open()).create();
    const rebuilt = { ...index.address, generation: 'g2' };
    await index.index.writer.ensureIndex(rebuilt, 8, isSmall);
    let corpora = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 10 }),
        fc.array(scope, { minLength: 2, maxLength: 3 }),
        async (steps, scopes) => {
          const prefix = `c${(corpora += 1)}/`;
          const model = new Model(index.tenantId);
          const named = (operations: IndexOperation[]): IndexOperation[] =>
            operations.map((operation) => prefixed(operation, prefix));
          for (const [hour, each] of steps.entries()) await index.apply(...named(model.take(each, hour)));
          await index.index.writer.apply(rebuilt, named(model.rebuild()));

          const times = [undefined, at(-1), at(0.5), ...steps.map((_, hour) => at(hour))];
          for (const { providers, principals } of scopes) {
            for (const knownAsOf of times) {
              const filter = openFilter(index.tenantId, {
                providers,
                principals,
                ...(knownAsOf === undefined ? {} : { knownAsOf }),
              });
              const expected = model.permitted(filter);
              const query = { filter, vector: unitVector(1), text: 'words', k: 1_000 };
              for (const address of [index.address, rebuilt]) {
                const { candidates } = await index.index.reader.findCandidates(address, query);
                // Of this corpus; those before are still there.
                const found = candidates.map(({ chunk }) => chunk.chunkId).filter((id) => id.startsWith(prefix));
                expect(found.map((id) => id.slice(prefix.length)).sort()).toEqual(expected);
              }
            }
          }
        },
      ),
      { numRuns: 6 },
    );
  });
}

function prefixed(operation: IndexOperation, prefix: string): IndexOperation {
  const itemId = `${prefix}${operation.itemId}`;
  if (operation.kind !== 'put-version' && operation.kind !== 'put-superseded') return { ...operation, itemId };
  const chunks = operation.chunks.map((chunk) => ({ ...chunk, itemId, chunkId: `${prefix}${chunk.chunkId}` }));
  return { ...operation, itemId, chunks };
}
