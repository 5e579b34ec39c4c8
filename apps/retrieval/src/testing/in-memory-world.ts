import type { Embedder } from '@candor/embeddings';
import {
  maySeeItem,
  type ChunkExpansion,
  type ChunkRecord,
  type ItemHead,
  type KeyHead,
  type LiveGeneration,
  type SourceProblem,
} from '@candor/persistence/views';
import type {
  Candidate,
  CandidateQuery,
  CandidateResult,
  ChunkDocument,
  ChunkFilter,
  IndexAddress,
  SearchIndexReader,
} from '@candor/search-index/read';
import type { Views } from '../search/retrieval-run.js';
import { InMemoryLibrary } from './in-memory-library.js';
import { aChunk, aHead, aKey, DIMENSIONS, queryVector, vectorOf } from './builders.js';

export const GENERATION: LiveGeneration = {
  id: '33333333-3333-4333-8333-333333333333',
  name: 'g1',
  pipelineFingerprint: 'pipeline-1',
  corpusFingerprint: 'corpus-1',
  embedding: null,
};

export interface PlacedChunk extends Partial<ChunkDocument> {
  cosine: number;
  lexicalScore?: number;
}

/**
 * The index and the truth, in memory and free to disagree, as they do between a change and the index's next refresh.
 * The index part is exact: it ranks everything the filter lets through.
 */
export class InMemoryWorld implements SearchIndexReader, Views {
  key: KeyHead | null = aKey();
  generation: LiveGeneration | null = GENERATION;
  readonly heads = new Map<string, ItemHead>();
  readonly collections = new Map<string, string[]>();
  /** Item ids by their tag. */
  readonly tagged = new Map<string, string[]>();
  readonly library = new InMemoryLibrary();
  readonly records = new Map<string, ChunkRecord>();
  readonly expansions = new Map<string, ChunkExpansion>();
  /** What was asked of `expandChunk`. */
  readonly steps: unknown[] = [];
  readonly queries: { address: IndexAddress; query: CandidateQuery }[] = [];
  problems: SourceProblem[] = [];
  readonly problemQueries: unknown[] = [];
  rechecks = 0;
  /** Runs between the index's answer and the recheck. */
  beforeRecheck: () => void | Promise<void> = () => undefined;
  private readonly index: { chunk: ChunkDocument; cosine: number; lexicalScore: number | null }[] = [];

  /** An item with its chunks, in the index and in the truth alike. */
  addItem(head: Partial<ItemHead>, ...chunks: PlacedChunk[]): ItemHead {
    const stored = aHead(head);
    this.heads.set(`${stored.itemId}:${stored.version}`, stored);
    for (const { cosine, lexicalScore = null, ...parts } of chunks) {
      const { itemId, version, provider, contentHash, accessMode, principals, title } = stored;
      const copied = { itemId, version, provider, contentHash, accessMode, principals, title };
      const chunk = aChunk({ ...copied, vector: vectorOf(cosine), ...parts });
      this.index.push({ chunk, cosine, lexicalScore });
    }
    return stored;
  }

  changeHead(itemId: string, parts: Partial<ItemHead>): void {
    for (const [id, head] of this.heads) if (head.itemId === itemId) this.heads.set(id, { ...head, ...parts });
  }

  deleteItem(itemId: string): void {
    for (const [id, head] of this.heads) if (head.itemId === itemId) this.heads.delete(id);
  }

  async findCandidates(address: IndexAddress, query: CandidateQuery): Promise<CandidateResult> {
    this.queries.push({ address, query });
    const isPermitted = passes(query.filter);
    const permitted = this.index.filter(({ chunk }) => isPermitted(chunk));
    const dense = ranksOf(
      permitted.toSorted((left, right) => right.cosine - left.cosine),
      query.k,
    );
    const lexical = ranksOf(
      permitted
        .filter((entry) => entry.lexicalScore !== null)
        .sort((left, right) => (right.lexicalScore ?? 0) - (left.lexicalScore ?? 0)),
      query.k,
    );
    const candidates = permitted
      .filter((entry) => dense.has(entry) || lexical.has(entry))
      .map((entry): Candidate => {
        const lexicalRank = lexical.get(entry) ?? null;
        return {
          chunk: entry.chunk,
          cosine: entry.cosine,
          denseRank: dense.get(entry) ?? null,
          lexicalRank,
          lexicalScore: lexicalRank === null ? null : entry.lexicalScore,
        };
      });
    return { candidates, exact: true };
  }

  async recheck(
    apiKeyId: string,
    candidates: readonly { itemId: string; version: number }[],
    knownAsOf?: string | null,
  ) {
    await this.beforeRecheck();
    this.rechecks += 1;
    const key = this.key?.apiKeyId === apiKeyId ? this.key : null;
    const heads = new Map<string, ItemHead>();
    for (const { itemId, version } of key === null ? [] : candidates) {
      const id = `${itemId}:${version}`;
      const head = this.heads.get(id);
      if (head) heads.set(id, { ...head, notYetKnown: head.notYetKnown && knownAsOf !== null });
    }
    return { key, heads, generation: key === null ? null : this.generation };
  }

  async collectionItems(_tenantId: string, collectionId: string): Promise<string[] | null> {
    return this.collections.get(collectionId) ?? null;
  }

  async taggedItems(_tenantId: string, tags: readonly string[]): Promise<string[]> {
    const [first = [], ...others] = tags.map((tag) => this.tagged.get(tag) ?? []);
    return first.filter((id) => others.every((ids) => ids.includes(id)));
  }

  async liveGeneration(): Promise<LiveGeneration | null> {
    return this.generation;
  }

  async sourceProblems(...asked: Parameters<Views['sourceProblems']>): Promise<SourceProblem[]> {
    this.problemQueries.push(asked);
    return this.problems;
  }

  async readChunk(_tenantId: string, chunkId: string): Promise<ChunkRecord | null> {
    return this.records.get(chunkId) ?? null;
  }

  async expandChunk(...[_tenantId, chunkId, step]: Parameters<Views['expandChunk']>): Promise<ChunkExpansion | null> {
    this.steps.push(step);
    return this.expansions.get(chunkId) ?? null;
  }

  async ping(): Promise<void> {}
  async close(): Promise<void> {}
}

/** 1-based, of the first `k`. */
function ranksOf<Entry>(ordered: readonly Entry[], k: number): Map<Entry, number> {
  return new Map(ordered.slice(0, k).map((entry, place) => [entry, place + 1]));
}

function passes(filter: ChunkFilter): (chunk: ChunkDocument) => boolean {
  const { knownAsOf } = filter;
  const itemIds = filter.itemIds === null ? null : new Set(filter.itemIds);
  const excludedItemIds = new Set(filter.excludeItemIds);
  const excludedChunkIds = new Set(filter.excludeChunkIds);
  return (chunk) =>
    chunk.tenantId === filter.tenantId &&
    maySeeItem({ allowedProviders: filter.providers, principals: filter.principals }, chunk) &&
    (itemIds === null || itemIds.has(chunk.itemId)) &&
    !excludedItemIds.has(chunk.itemId) &&
    !excludedChunkIds.has(chunk.chunkId) &&
    (knownAsOf === undefined || chunk.recordedAt <= knownAsOf);
}

/** Every query is the same direction; chunks say their own cosine to it. */
export class FixedEmbedder implements Embedder {
  readonly profile = { model: 'fixed', revision: '1', dimensions: DIMENSIONS, maxTokens: 512 };
  readonly queries: string[] = [];

  async embedQuery(text: string): Promise<Float32Array> {
    this.queries.push(text);
    return queryVector();
  }
  async embedPassages(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map(() => queryVector());
  }
  countTokens(text: string): number {
    return text.length;
  }
  async close(): Promise<void> {}
}
