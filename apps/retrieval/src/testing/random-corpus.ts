import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { PROVIDERS, type Provider } from '@candor/contracts';
import { maySeeItem, type ItemHead, type Recheck } from '@candor/persistence/views';
import type { ChunkDocument } from '@candor/search-index/read';
// eslint-disable-next-line no-restricted-imports -- the test has to fill the index, which the service never does
import type { IndexOperation } from '@candor/search-index/write';
import { aChunk, aHead, idOf } from './builders.js';
import { GENERATION, InMemoryWorld } from './in-memory-world.js';

const PEOPLE = ['user:ann@x.example', 'group:crew', 'channel:C1', 'domain:x.example', 'anyone'];
const DAYS = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
/** What texts are made of; no text has the word `zebra`. */
export const WORDS = ['walrus', 'harbour', 'lantern'];
export const IDENTIFIER = 'ERR-4711';
const COLLECTION = idOf(900);
const UNKNOWN_COLLECTION = idOf(901);
/** The index's server may be everybody's. */
const RUN = randomBytes(4).toString('hex');

const day = fc.constantFrom(...DAYS);
const people = fc.uniqueArray(fc.constantFrom(...PEOPLE), { maxLength: 2 });
const somePeople = fc.option(people, { freq: 1 });
const providers = fc.option(fc.uniqueArray(fc.constantFrom(...PROVIDERS), { minLength: 1, maxLength: 3 }), { freq: 1 });
const chunkWords = fc.uniqueArray(fc.constantFrom(...WORDS, IDENTIFIER), { maxLength: 3 });
/** The words of each chunk of a version. */
const version = fc.array(chunkWords, { minLength: 1, maxLength: 4 });

/** An item with its versions, and what has happened since the index last heard of it. */
const item = fc.record({
  provider: fc.constantFrom(...PROVIDERS),
  accessMode: fc.constantFrom('provider_scope' as const, 'acl' as const, 'acl' as const, 'unknown' as const),
  principals: people,
  versions: fc.array(version, { minLength: 1, maxLength: 2 }),
  since: fc.integer({ min: 0, max: 1 }),
  updatedAt: fc.option(day),
  inCollection: fc.boolean(),
  meanwhile: fc.constantFrom('nothing', 'nothing', 'nothing', 'nothing', 'deleted', 'closed', 'superseded', 'edited'),
});
type RandomItem = typeof item extends fc.Arbitrary<infer Value> ? Value : never;

/** So few that each leg finds all of them, or more than one round asks for. */
export const corpora = fc.oneof(
  fc.array(item, { minLength: 4, maxLength: 14 }),
  fc.array(item, { minLength: 4, maxLength: 14 }),
  fc.array(item, { minLength: 1, maxLength: 60 }),
  fc.array(item, { minLength: 40, maxLength: 60 }),
);

/** Half of the searches ask for less than all there is. */
const narrowed = fc.record(
  {
    providers: fc.uniqueArray(fc.constantFrom(...PROVIDERS), { minLength: 1, maxLength: 3 }),
    collectionId: fc.constantFrom(COLLECTION, COLLECTION, UNKNOWN_COLLECTION),
    updatedAfter: day,
    updatedBefore: day,
    knownAsOf: day,
  },
  { requiredKeys: [] },
);
type Narrowed = typeof narrowed extends fc.Arbitrary<infer Value> ? Value : never;

export const queries = fc.record({
  token: fc.record({ allowedProviders: providers, principals: somePeople }),
  key: fc.record({ allowedProviders: providers, principals: somePeople }),
  asked: fc.oneof(fc.constant<Narrowed>({}), narrowed),
  words: fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
  limit: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 8, max: 14 }), fc.integer({ min: 1, max: 25 })),
});
export type RandomQuery = typeof queries extends fc.Arbitrary<infer Value> ? Value : never;

export interface StoredChunk {
  chunk: ChunkDocument;
  cosine: number;
  words: readonly string[];
}
interface StoredVersion {
  version: number;
  chunks: StoredChunk[];
  recordedAt: string;
  supersededAt: string | null;
}
interface StoredItem extends Omit<RandomItem, 'versions'> {
  id: string;
  stored: StoredVersion[];
}
/** What the caller may see of an item, the nearest first. */
export interface PermittedItem {
  itemId: string;
  provider: Provider;
  chunks: StoredChunk[];
}

/** The truth of one corpus, asked as Postgres is. */
export class RandomCorpus extends InMemoryWorld {
  readonly items: StoredItem[];

  constructor(items: readonly RandomItem[], number: number) {
    super();
    let next = 0;
    // No two are equally near, so that there is one right order.
    const nextCosine = (): number => 0.99 - ((next++ * 7919) % 1_000) / 1_001;
    this.items = items.map((each, index) => ({
      ...each,
      id: idOf(index + 1),
      stored: storeVersions(each, index, nextCosine),
    }));
    this.collections.set(
      COLLECTION,
      this.items.filter((each) => each.inCollection).map((each) => each.id),
    );
    this.generation = { ...GENERATION, id: idOf(1_000 + number), name: `corpus-${RUN}-${number}` };
  }

  /** Of the versions that hold today. */
  get liveCount(): number {
    return this.items.flatMap(({ stored }) => stored.at(-1)?.chunks ?? []).length;
  }

  get chunkCount(): number {
    return this.items.flatMap(({ stored }) => stored.flatMap(({ chunks }) => chunks)).length;
  }

  override async recheck(
    _apiKeyId: string,
    candidates: readonly { itemId: string; version: number }[],
    knownAsOf: string | null = null,
  ): Promise<Recheck> {
    const heads = new Map<string, ItemHead>();
    for (const { itemId, version: number } of candidates) {
      const found = this.items.find((each) => each.id === itemId);
      const stored = found?.stored[number - 1];
      if (found && stored && found.meanwhile !== 'deleted')
        heads.set(`${itemId}:${number}`, headOf(found, stored, knownAsOf));
    }
    return { key: this.key, heads, generation: this.generation };
  }

  operations(): IndexOperation[] {
    return this.items.flatMap(({ id, stored }) =>
      stored.map(({ version: number, recordedAt, chunks }): IndexOperation => {
        const own = chunks.map(({ chunk }) => chunk);
        return { kind: 'put-version', itemId: id, version: number, recordedAt, chunks: own };
      }),
    );
  }

  /** By the rules of docs/reference/filters.md: what may be seen, the nearest first. */
  permitted(query: RandomQuery): PermittedItem[] {
    return this.seen(query).filter(({ isReplaced }) => !isReplaced);
  }

  /** The same of what another item replaces. */
  replaced(query: RandomQuery): PermittedItem[] {
    return this.seen(query).filter(({ isReplaced }) => isReplaced);
  }

  private seen({ token, key, asked }: RandomQuery): (PermittedItem & { isReplaced: boolean })[] {
    const inScope = asked.collectionId === undefined ? null : (this.collections.get(asked.collectionId) ?? []);
    return this.items
      .filter((each) => each.meanwhile !== 'deleted')
      .filter((each) => inScope === null || inScope.includes(each.id))
      .filter((each) => asked.providers?.includes(each.provider) ?? true)
      .filter((each) => [token, key].every((scope) => scope.allowedProviders?.includes(each.provider) ?? true))
      .filter((each) =>
        maySeeItem({ allowedProviders: null, principals: both(token.principals, key.principals) }, accessOf(each)),
      )
      .filter((each) => isWithin(each.updatedAt, asked))
      .flatMap((each) => {
        const held = each.stored.find((stored) => isCurrent(each, stored, asked.knownAsOf ?? null));
        if (!held) return [];
        const chunks = held.chunks.toSorted((a, b) => b.cosine - a.cosine);
        return [{ itemId: each.id, provider: each.provider, chunks, isReplaced: each.meanwhile === 'superseded' }];
      })
      .sort((left, right) => nearestOf(right) - nearestOf(left));
  }
}

function nearestOf({ chunks }: PermittedItem): number {
  return chunks[0]?.cosine ?? -1;
}

/** Every text has as many words, each once: then a text that matches more of the same words has the better BM25 score. */
function textOf(words: readonly string[], name: string): string {
  // An identifier is two words to an index.
  const length = words.length + (words.includes(IDENTIFIER) ? 1 : 0);
  const filling = ['first', 'second', 'third', 'fourth'].slice(length);
  return [...words, ...filling, name].join(' ');
}

function storeVersions(each: RandomItem, index: number, nextCosine: () => number): StoredVersion[] {
  const { provider, accessMode, principals, updatedAt: sourceUpdatedAt } = each;
  return each.versions.map((chunks, position): StoredVersion => {
    const recordedAt = DAYS[each.since + position] ?? '';
    return {
      version: position + 1,
      recordedAt,
      supersededAt: position + 1 < each.versions.length ? (DAYS[each.since + position + 1] ?? '') : null,
      chunks: chunks.map((words, ordinal): StoredChunk => {
        const cosine = nextCosine();
        const chunk = aChunk({
          chunkId: idOf(10_000 + index * 100 + position * 10 + ordinal),
          itemId: idOf(index + 1),
          version: position + 1,
          // A document that is indexed as a whole too, and its paragraphs.
          level: ordinal === 0 && chunks.length > 1 ? 'document' : 'paragraph',
          ordinal,
          provider,
          accessMode,
          principals,
          sourceUpdatedAt,
          recordedAt,
          contentHash: `hash-${index}-${position}`,
          content: textOf(words, `i${index}v${position}p${ordinal}`),
          vector: Float32Array.from([cosine, Math.sqrt(1 - cosine * cosine), 0, 0]),
        });
        return { chunk, cosine, words };
      }),
    };
  });
}

function accessOf({ provider, accessMode, principals, meanwhile }: Omit<RandomItem, 'versions'>) {
  return meanwhile === 'closed'
    ? { provider, accessMode: 'acl' as const, principals: [] }
    : { provider, accessMode, principals };
}

/** An edit that the index hasn't heard of: the version in the truth is a newer one. */
function isCurrent(
  { meanwhile }: Pick<StoredItem, 'meanwhile'>,
  { recordedAt, supersededAt }: StoredVersion,
  knownAsOf: string | null,
): boolean {
  if (knownAsOf === null) return supersededAt === null && meanwhile !== 'edited';
  return recordedAt <= knownAsOf && (supersededAt === null || supersededAt > knownAsOf);
}

function headOf(each: StoredItem, stored: StoredVersion, knownAsOf: string | null): ItemHead {
  return aHead({
    ...accessOf(each),
    itemId: each.id,
    version: stored.version,
    contentHash: stored.chunks[0]?.chunk.contentHash ?? '',
    current: isCurrent(each, stored, knownAsOf),
    notYetKnown: knownAsOf !== null && stored.recordedAt > knownAsOf,
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
