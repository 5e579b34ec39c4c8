import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { PROVIDERS, requestIdSchema, type CallerScope, type Hit, type RetrievalRequest } from '@candor/contracts';
import { EmbedderRegistry } from '@candor/embeddings';
import { maySeeItem, type ItemHead, type Recheck } from '@candor/persistence/views';
import { CallerTokenSigner } from '@candor/runtime';
import type { ChunkDocument, SearchIndexReader } from '@candor/search-index/read';
// eslint-disable-next-line no-restricted-imports -- the test has to fill the index, which the service never does
import type { IndexOperation, SearchIndexWriter } from '@candor/search-index/write';
import { RetrievalService } from '../retrieval.service.js';
import { aChunk, aHead, aKey, aScope, DIMENSIONS, idOf, TENANT } from './builders.js';
import { InMemoryReasoning } from './in-memory-reasoning.js';
import { FixedEmbedder, GENERATION, InMemoryWorld } from './in-memory-world.js';

export interface IndexUnderTest {
  /** Every vector is compared, however many there are. */
  isExact: boolean;
  reader: SearchIndexReader;
  writer: SearchIndexWriter;
}

const PEOPLE = ['user:ann@x.example', 'group:crew', 'channel:C1', 'domain:x.example', 'anyone'];
const DAYS = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
const COLLECTION = idOf(900);
const UNKNOWN_COLLECTION = idOf(901);
/** The index's server may be everybody's. */
const RUN = randomBytes(4).toString('hex');
/** Candidates that each leg asks for at least. */
const LEAST_CANDIDATES = 40;

const day = fc.constantFrom(...DAYS);
const people = fc.uniqueArray(fc.constantFrom(...PEOPLE), { maxLength: 2 });
const providers = fc.option(fc.uniqueArray(fc.constantFrom(...PROVIDERS), { minLength: 1, maxLength: 3 }));

/** An item with its versions, and what has happened since the index last heard of it. */
const item = fc.record({
  provider: fc.constantFrom(...PROVIDERS),
  accessMode: fc.constantFrom('provider_scope' as const, 'acl' as const, 'acl' as const, 'unknown' as const),
  principals: people,
  versions: fc.integer({ min: 1, max: 2 }),
  since: fc.integer({ min: 0, max: 1 }),
  updatedAt: fc.option(day),
  inCollection: fc.boolean(),
  meanwhile: fc.constantFrom('nothing', 'nothing', 'nothing', 'deleted', 'closed', 'superseded'),
});
type RandomItem = typeof item extends fc.Arbitrary<infer Value> ? Value : never;

const query = fc.record({
  token: fc.record({ allowedProviders: providers, principals: fc.option(people) }),
  key: fc.record({ allowedProviders: providers, principals: fc.option(people) }),
  asked: fc.record(
    {
      providers: fc.uniqueArray(fc.constantFrom(...PROVIDERS), { minLength: 1, maxLength: 3 }),
      collectionId: fc.constantFrom(COLLECTION, COLLECTION, UNKNOWN_COLLECTION),
      updatedAfter: day,
      updatedBefore: day,
      knownAsOf: day,
    },
    { requiredKeys: [] },
  ),
  limit: fc.integer({ min: 1, max: 25 }),
});
type RandomQuery = typeof query extends fc.Arbitrary<infer Value> ? Value : never;

interface StoredVersion {
  chunk: ChunkDocument;
  cosine: number;
  supersededAt: string | null;
}
interface StoredItem extends RandomItem {
  id: string;
  stored: StoredVersion[];
}

/** The truth of one corpus, asked as Postgres is. */
class Corpus extends InMemoryWorld {
  readonly items: StoredItem[];

  constructor(items: readonly RandomItem[], number: number) {
    super();
    // No two are equally near, so that there is one right order.
    const cosines = items.flatMap((each) => Array.from({ length: each.versions }, () => 0));
    cosines.forEach((_, index) => (cosines[index] = 0.99 - ((index * 7919) % 1_000) / 1_001));
    this.items = items.map((each, index) => ({
      ...each,
      id: idOf(index + 1),
      stored: storeVersions(each, index, cosines),
    }));
    this.collections.set(
      COLLECTION,
      this.items.filter((each) => each.inCollection).map((each) => each.id),
    );
    this.generation = { ...GENERATION, id: idOf(1_000 + number), name: `corpus-${RUN}-${number}` };
  }

  override async recheck(
    _apiKeyId: string,
    candidates: readonly { itemId: string; version: number }[],
    knownAsOf: string | null = null,
  ): Promise<Recheck> {
    const heads = new Map<string, ItemHead>();
    for (const { itemId, version } of candidates) {
      const found = this.items.find((each) => each.id === itemId);
      const stored = found?.stored[version - 1];
      if (found && stored && found.meanwhile !== 'deleted')
        heads.set(`${itemId}:${version}`, headOf(found, stored, knownAsOf));
    }
    return { key: this.key, heads };
  }

  operations(): IndexOperation[] {
    return this.items.flatMap(({ id, stored }) =>
      stored.map(({ chunk }): IndexOperation => {
        const { version, recordedAt } = chunk;
        return { kind: 'put-version', itemId: id, version, recordedAt, chunks: [chunk] };
      }),
    );
  }

  /** By the rules of docs/reference/filters.md: the nearest of what may be seen, each item once. */
  bruteForce({ token, key, asked }: RandomQuery): { itemId: string; cosine: number }[] {
    const inScope = asked.collectionId === undefined ? null : (this.collections.get(asked.collectionId) ?? []);
    return this.items
      .filter((each) => each.meanwhile !== 'deleted' && each.meanwhile !== 'superseded')
      .filter((each) => inScope === null || inScope.includes(each.id))
      .filter((each) => asked.providers?.includes(each.provider) ?? true)
      .filter((each) => [token, key].every((scope) => scope.allowedProviders?.includes(each.provider) ?? true))
      .filter((each) =>
        maySeeItem({ allowedProviders: null, principals: both(token.principals, key.principals) }, accessOf(each)),
      )
      .filter((each) => isWithin(each.updatedAt, asked))
      .flatMap((each) => {
        const held = each.stored.find((stored) => isCurrent(stored, asked.knownAsOf ?? null));
        return held ? [{ itemId: each.id, cosine: held.cosine }] : [];
      })
      .sort((left, right) => right.cosine - left.cosine);
  }
}

function storeVersions(each: RandomItem, index: number, cosines: number[]): StoredVersion[] {
  const { provider, accessMode, principals, updatedAt: sourceUpdatedAt } = each;
  return Array.from({ length: each.versions }, (_, position) => {
    const cosine = cosines.shift() ?? 0;
    const chunk = aChunk({
      chunkId: idOf(10_000 + index * 10 + position),
      itemId: idOf(index + 1),
      version: position + 1,
      provider,
      accessMode,
      principals,
      sourceUpdatedAt,
      recordedAt: DAYS[each.since + position]!,
      contentHash: `hash-${index}-${position}`,
      content: `Item ${index} as of version ${position + 1}.`,
      vector: Float32Array.from([cosine, Math.sqrt(1 - cosine * cosine), 0, 0]),
    });
    return { chunk, cosine, supersededAt: position + 1 < each.versions ? DAYS[each.since + position + 1]! : null };
  });
}

function accessOf({ provider, accessMode, principals, meanwhile }: RandomItem) {
  return meanwhile === 'closed'
    ? { provider, accessMode: 'acl' as const, principals: [] }
    : { provider, accessMode, principals };
}

function isCurrent({ chunk, supersededAt }: StoredVersion, knownAsOf: string | null): boolean {
  if (knownAsOf === null) return supersededAt === null;
  return chunk.recordedAt <= knownAsOf && (supersededAt === null || supersededAt > knownAsOf);
}

function headOf(each: StoredItem, stored: StoredVersion, knownAsOf: string | null): ItemHead {
  const { chunk } = stored;
  return aHead({
    ...accessOf(each),
    itemId: each.id,
    version: chunk.version,
    contentHash: chunk.contentHash,
    current: isCurrent(stored, knownAsOf),
    notYetKnown: knownAsOf !== null && chunk.recordedAt > knownAsOf,
    superseded: each.meanwhile === 'superseded',
  });
}

function both(left: string[] | null, right: string[] | null): string[] | null {
  if (left === null || right === null) return left ?? right;
  return left.filter((principal) => right.includes(principal));
}

function isWithin(updatedAt: string | null, { updatedAfter, updatedBefore }: RandomQuery['asked']): boolean {
  if (updatedAfter === undefined && updatedBefore === undefined) return true;
  return updatedAt !== null && updatedAt >= (updatedAfter ?? '') && updatedAt <= (updatedBefore ?? '9');
}

const signer = new CallerTokenSigner('a key of at least thirty-two characters');
const requestId = requestIdSchema.parse('44444444-4444-4444-8444-444444444444');

/**
 * The whole of retrieval over a real index, for random corpora, keys, scopes and times: nothing that is not permitted,
 * the page full when enough is, and the nearest ones wherever every vector was compared.
 */
export function describeRetrievalProperties(open: () => IndexUnderTest): void {
  it('gives every caller a full page of what it may see, the nearest, and nothing else', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 1, maxLength: 60 }),
        fc.array(query, { minLength: 10, maxLength: 20 }),
        async (items, queries) => {
          const corpus = new Corpus(items, (number += 1));
          const { reader, writer, isExact } = open();
          const address = { tenantId: TENANT, generation: corpus.generation?.name ?? '' };
          await writer.ensureIndex(address, DIMENSIONS);
          try {
            await writer.apply(address, corpus.operations());
            const reasoning = new InMemoryReasoning();
            const embedders = EmbedderRegistry.around(new FixedEmbedder());
            const service = new RetrievalService({ reader, views: corpus, reasoning, embedders, signer });
            for (const each of queries) await expectRightPage(service, corpus, each, isExact);
          } finally {
            await writer.dropIndex(address);
          }
        },
      ),
      { numRuns: 6 },
    );
  });
}

async function expectRightPage(
  service: RetrievalService,
  corpus: Corpus,
  each: RandomQuery,
  isExact: boolean,
): Promise<void> {
  corpus.key = aKey(each.key);
  const scope: CallerScope = aScope(each.token);
  // No chunk has the word, so nearness alone decides.
  const request = { query: 'zebra', limit: each.limit, ...each.asked } as RetrievalRequest<'search'>;
  const call = { requestId, callerToken: signer.sign(scope) };
  const { result } = await service.call('search', call, request, { deadline: new Date(Date.now() + 60_000) });
  const permitted = corpus.bruteForce(each);
  const found = result.hits.map((hit: Hit) => hit.sourceItemId as string);
  expect(permitted.map(({ itemId }) => itemId)).toEqual(expect.arrayContaining(found));
  expect(found).toHaveLength(Math.min(each.limit, permitted.length));
  // Of so few, all are candidates.
  if (isExact || corpus.items.length <= LEAST_CANDIDATES / 2)
    expect(found).toEqual(permitted.slice(0, each.limit).map(({ itemId }) => itemId));
}
