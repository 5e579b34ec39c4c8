import type { AccessPolicy, Level, Provider } from '@candor/contracts';

/** One node of an item's tree as it is indexed. The text's truth is Postgres; this is a projection. */
export interface ChunkDocument {
  chunkId: string;
  tenantId: string;
  itemId: string;
  version: number;
  provider: Provider;
  connectorId: string | null;
  /** `unknown` = no policy was preserved: only service keys see it. */
  accessMode: AccessPolicy['mode'] | 'unknown';
  principals: string[];
  level: Level;
  /** 0-based, in reading order among the version's chunks. */
  ordinal: number;
  parentId: string | null;
  previousId: string | null;
  nextId: string | null;
  title: string;
  sectionPath: string[];
  content: string;
  /** SHA-256 (hex) of the item version's content. */
  contentHash: string;
  /** L2-normalized, so a dot product is the cosine. */
  vector: Float32Array;
  /** ISO instants, UTC. */
  sourceUpdatedAt: string | null;
  recordedAt: string;
  validFrom: string | null;
  validUntil: string | null;
  tags: string[];
}

/** The part of a chunk that may change without new content. */
export type ChunkMetadata = Pick<
  ChunkDocument,
  'accessMode' | 'principals' | 'title' | 'sourceUpdatedAt' | 'validFrom' | 'validUntil' | 'tags'
>;

/** A chunk as a search gives it back; its vector stays where it is. */
export type FoundChunk = Omit<ChunkDocument, 'vector'>;

/**
 * What a caller may see and asked for. It is part of candidate generation in both legs, always;
 * the conditions are ANDed. `docs/reference/filters.md` states it for readers.
 */
export interface ChunkFilter {
  tenantId: string;
  /** null = every provider; [] = none. */
  providers: Provider[] | null;
  /**
   * null = a service key. Else a chunk passes when its mode is `provider_scope`, or its mode is `acl` and it shares
   * a principal with these or names `anyone`; `unknown` never passes.
   */
  principals: string[] | null;
  /** Scope by item; null = not scoped; [] = nothing. */
  itemIds: string[] | null;
  excludeItemIds?: string[];
  excludeChunkIds?: string[];
  /** Inclusive bounds on `sourceUpdatedAt`; an item without one never passes a bound. */
  updatedAfter?: string;
  updatedBefore?: string;
  /** As of T: `recordedAt ≤ T` and (`supersededAt` absent or > T); history is searched only with it. */
  knownAsOf?: string;
}

/** Names one tenant's generation: an index (Elasticsearch, there perhaps a part of one) or a table (LanceDB). */
export interface IndexAddress {
  tenantId: string;
  /** Lower-case letters, digits and dashes. */
  generation: string;
}

export interface Candidate {
  chunk: FoundChunk;
  /** Exact cosine of the query and the chunk, from the unquantized vector, also for lexical-only candidates. */
  cosine: number;
  /** 1-based rank in the dense leg; null when that leg did not find it. */
  denseRank: number | null;
  lexicalRank: number | null;
  /** BM25 score; null when the lexical leg did not find it. */
  lexicalScore: number | null;
}

export interface CandidateQuery {
  filter: ChunkFilter;
  /** Of the query; may still be on its way: the lexical leg doesn't wait for it. */
  vector: Float32Array | Promise<Float32Array>;
  text: string;
  /** Candidates a leg. */
  k: number;
  signal?: AbortSignal;
}

export interface CandidateResult {
  /** Distinct chunks of both legs, in no promised order. */
  candidates: Candidate[];
  /** Whether the dense leg compared every permitted vector. */
  exact: boolean;
}

/**
 * Errors: DEPENDENCY.INDEX_UNAVAILABLE when the server can't be reached, answers in part or lacks the index: a generation
 * becomes known when its index is there, so a missing one was lost and "nothing found" would be wrong;
 * EMBEDDINGS.PROFILE_MISMATCH for a vector of another length than the index has; REQUEST.CANCELLED on abort; whatever a
 * promised vector fails with.
 */
export interface SearchIndexReader {
  findCandidates(address: IndexAddress, query: CandidateQuery): Promise<CandidateResult>;
  ping(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export type IndexOperation =
  /** Makes `chunks` the item's live ones; older versions' chunks move to history as superseded at `recordedAt`. */
  | {
      kind: 'put-version';
      itemId: string;
      version: number;
      recordedAt: string;
      chunks: ChunkDocument[];
      /** No other version was ever indexed, as far as the caller knows: what is indexed of the item isn't looked up. */
      isFirst?: boolean;
    }
  /**
   * `version` is known to be the live one: chunks of older versions that stand beside it, because two writers didn't see
   * each other, move to history as superseded at `recordedAt`.
   */
  | { kind: 'settle-version'; itemId: string; version: number; recordedAt: string }
  /**
   * Files a version that was live once in history, wherever it is now; what is there already stays as it is. For
   * building an index anew, before the live version's `put-version`.
   */
  | { kind: 'put-superseded'; itemId: string; version: number; supersededAt: string; chunks: ChunkDocument[] }
  | { kind: 'update-metadata'; itemId: string; metadata: ChunkMetadata }
  /** Live and history both. */
  | { kind: 'delete-item'; itemId: string };

/** How many chunks a tenant has, up to `upTo`; where that is many, about how many. */
export type CountChunks = (upTo: number) => Promise<number>;

/** The only writer is the ingestion worker. */
export interface SearchIndexWriter {
  /** Of what this adapter stores and how it is analyzed; part of the pipeline fingerprint, for each adapter its own. */
  readonly mappingVersion: number;
  /**
   * Creates what is missing; refuses with EMBEDDINGS.PROFILE_MISMATCH when it exists with other dimensions. An adapter
   * whose places are of several sizes asks `countChunks`; without it, the place is the tenant's own and of the smallest size.
   */
  ensureIndex(address: IndexAddress, dimensions: number, countChunks?: CountChunks): Promise<void>;
  /**
   * Applies the operations in order (a later one on the same item wins) and resolves when a search sees all of them.
   * Safe to repeat. Throws when any part failed; what was applied then is unspecified and a repeat mends it.
   */
  apply(address: IndexAddress, operations: readonly IndexOperation[]): Promise<void>;
  /** Chunks of the item, live and history: 0 certifies a delete. */
  countItem(address: IndexAddress, itemId: string): Promise<number>;
  /** Item ids and versions of all live chunks, for reconciliation; empty for an absent index. */
  listVersions(address: IndexAddress): AsyncIterable<{ itemId: string; version: number; chunks: number }>;
  /** False when it was never made, was dropped or was lost. */
  hasIndex(address: IndexAddress): Promise<boolean>;
  /**
   * In what the index is not mapped as `ensureIndex` would map it now, one sentence each; [] = in nothing. A missing
   * index is a sentence too.
   */
  findDrift(address: IndexAddress, dimensions: number): Promise<string[]>;
  /** Resolves when no search and no write finds it any more. */
  dropIndex(address: IndexAddress): Promise<void>;
  ping(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export const SEARCH_INDEX_READER = Symbol('SearchIndexReader');
export const SEARCH_INDEX_WRITER = Symbol('SearchIndexWriter');
