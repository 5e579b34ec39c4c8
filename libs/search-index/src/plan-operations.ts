import type { ChunkDocument, ChunkMetadata, IndexOperation } from './search-index.port.js';

export type ChunkAccess = Pick<ChunkDocument, 'accessMode' | 'principals'>;

/** What a writer has to know of a chunk that is already indexed. */
export interface StoredChunk extends ChunkAccess {
  chunkId: string;
  itemId: string;
  version: number;
}

export interface StoredChunks {
  live: readonly StoredChunk[];
  history: readonly StoredChunk[];
}

/**
 * What to write. Carried out in the order of the fields: at a crash in between, an item is doubled at worst,
 * never lost, and a repeat of the operations mends it.
 */
export interface IndexPlan {
  /** Copy from live (vector and all) to history. */
  supersede: { chunkId: string; supersededAt: string; metadata: Partial<ChunkMetadata> }[];
  indexHistory: { chunk: ChunkDocument; supersededAt: string }[];
  updateHistory: { chunkId: string; metadata: Partial<ChunkMetadata> }[];
  indexLive: ChunkDocument[];
  updateLive: { chunkId: string; metadata: Partial<ChunkMetadata> }[];
  deleteLive: string[];
  deleteHistory: string[];
}

interface Entry extends StoredChunk {
  /** Where it is on disk, and where it ends up. */
  stored: 'live' | 'history' | null;
  place: 'live' | 'history' | null;
  /** The new content, when there is one. */
  document: ChunkDocument | null;
  metadata: Partial<ChunkMetadata>;
  supersededAt: string;
}

/** Folds the operations, in order, over what is stored for their items. Pure: both adapters carry out the same plan. */
export function planOperations(stored: StoredChunks, operations: readonly IndexOperation[]): IndexPlan {
  const items = new Map<string, Entry[]>();
  for (const chunk of stored.live) entriesOf(items, chunk.itemId).push(storedEntry(chunk, 'live'));
  for (const chunk of stored.history) entriesOf(items, chunk.itemId).push(storedEntry(chunk, 'history'));

  for (const operation of operations) {
    const entries = entriesOf(items, operation.itemId);
    if (operation.kind === 'put-version') putVersion(entries, operation);
    else if (operation.kind === 'put-superseded') putSuperseded(entries, operation);
    else if (operation.kind === 'settle-version') settleVersion(entries, operation);
    else if (operation.kind === 'update-metadata') updateMetadata(entries, operation.metadata);
    else for (const entry of entries) entry.place = null;
  }
  return toPlan([...items.values()].flat());
}

function entriesOf(items: Map<string, Entry[]>, itemId: string): Entry[] {
  let entries = items.get(itemId);
  if (!entries) items.set(itemId, (entries = []));
  return entries;
}

function storedEntry(chunk: StoredChunk, stored: 'live' | 'history'): Entry {
  return { ...chunk, stored, place: stored, document: null, metadata: {}, supersededAt: '' };
}

function putVersion(entries: Entry[], operation: Extract<IndexOperation, { kind: 'put-version' }>): void {
  const live = entries.filter((entry) => entry.place === 'live');
  // A late job for an older version must not replace a newer one.
  if (live.some((entry) => entry.version > operation.version)) return;

  for (const entry of live) {
    entry.place = entry.version < operation.version ? 'history' : null;
    if (entry.place === 'history') entry.supersededAt = operation.recordedAt;
  }
  for (const chunk of new Map(operation.chunks.map((each) => [each.chunkId, each])).values()) {
    entries.push(newEntry(chunk, operation.version));
  }
  const [newest] = operation.chunks;
  if (newest) followAccess(entries, newest);
}

function putSuperseded(entries: Entry[], operation: Extract<IndexOperation, { kind: 'put-superseded' }>): void {
  const { version, supersededAt, chunks } = operation;
  const missing = new Map(chunks.map((each) => [each.chunkId, each]));
  for (const entry of entries) {
    if (entry.version !== version || entry.place === null) continue;
    missing.delete(entry.chunkId);
    if (entry.place === 'history') continue;
    entry.place = 'history';
    entry.supersededAt = supersededAt;
  }
  for (const chunk of missing.values()) entries.push({ ...newEntry(chunk, version), place: 'history', supersededAt });
}

function newEntry(document: ChunkDocument, version: number): Entry {
  const { chunkId, itemId, accessMode, principals } = document;
  const nothing = { stored: null, metadata: {}, supersededAt: '' };
  return { chunkId, itemId, version, accessMode, principals, place: 'live', document, ...nothing };
}

function settleVersion(entries: Entry[], { version, recordedAt }: { version: number; recordedAt: string }): void {
  for (const entry of entries) {
    if (entry.place !== 'live' || entry.version >= version) continue;
    entry.place = 'history';
    entry.supersededAt = recordedAt;
  }
}

function updateMetadata(entries: Entry[], metadata: ChunkMetadata): void {
  for (const entry of entries) {
    if (entry.place !== 'live') continue;
    entry.metadata = { ...entry.metadata, ...metadata };
    entry.accessMode = metadata.accessMode;
    entry.principals = metadata.principals;
  }
  followAccess(entries, metadata);
}

/** Who may see an item is a fact of today, also for its old versions: a revocation must reach history. */
function followAccess(entries: Entry[], access: ChunkAccess): void {
  for (const entry of entries) {
    if (entry.place !== 'history' || sameAccess(entry, access)) continue;
    entry.accessMode = access.accessMode;
    entry.principals = access.principals;
    entry.metadata = { ...entry.metadata, accessMode: access.accessMode, principals: access.principals };
  }
}

function sameAccess(left: ChunkAccess, right: ChunkAccess): boolean {
  return (
    left.accessMode === right.accessMode &&
    left.principals.length === right.principals.length &&
    left.principals.every((principal, index) => principal === right.principals[index])
  );
}

function toPlan(entries: readonly Entry[]): IndexPlan {
  const plan: IndexPlan = {
    supersede: [],
    indexHistory: [],
    updateHistory: [],
    indexLive: [],
    updateLive: [],
    deleteLive: [],
    deleteHistory: [],
  };
  // An id that is written again in the same place must not be deleted there afterwards.
  const kept = { live: new Set<string>(), history: new Set<string>() };
  for (const entry of entries) if (entry.place) kept[entry.place].add(entry.chunkId);

  for (const entry of entries) {
    const { chunkId, metadata, supersededAt } = entry;
    const changed = Object.keys(metadata).length > 0;
    if (entry.document && entry.place === 'live') plan.indexLive.push({ ...entry.document, ...metadata });
    if (entry.document && entry.place === 'history') {
      plan.indexHistory.push({ chunk: { ...entry.document, ...metadata }, supersededAt });
    }
    if (entry.stored === 'live') {
      if (entry.place === 'history') plan.supersede.push({ chunkId, supersededAt, metadata });
      if (entry.place === 'live') {
        if (changed) plan.updateLive.push({ chunkId, metadata });
      } else if (!kept.live.has(chunkId)) plan.deleteLive.push(chunkId);
    }
    if (entry.stored === 'history') {
      if (entry.place === 'history') {
        if (changed) plan.updateHistory.push({ chunkId, metadata });
      } else if (!kept.history.has(chunkId)) plan.deleteHistory.push(chunkId);
    }
  }
  return plan;
}
