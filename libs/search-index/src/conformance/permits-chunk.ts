import type { ChunkDocument, ChunkFilter } from '../search-index.port.js';

/** The filter's meaning, written from its documentation and not from the adapters: the judge of their answers. */
export function permitsChunk(filter: ChunkFilter, chunk: ChunkDocument, supersededAt: string | null = null): boolean {
  if (chunk.tenantId !== filter.tenantId) return false;
  if (filter.providers !== null && !filter.providers.includes(chunk.provider)) return false;
  if (filter.principals !== null && !isVisible(chunk, filter.principals)) return false;
  if (filter.itemIds !== null && !filter.itemIds.includes(chunk.itemId)) return false;
  if (filter.excludeItemIds?.includes(chunk.itemId)) return false;
  if (filter.excludeChunkIds?.includes(chunk.chunkId)) return false;
  const updatedAt = chunk.sourceUpdatedAt === null ? Number.NaN : Date.parse(chunk.sourceUpdatedAt);
  if (filter.updatedAfter !== undefined && !(updatedAt >= Date.parse(filter.updatedAfter))) return false;
  if (filter.updatedBefore !== undefined && !(updatedAt <= Date.parse(filter.updatedBefore))) return false;
  if (filter.knownAsOf === undefined) return supersededAt === null;
  const asOf = Date.parse(filter.knownAsOf);
  return Date.parse(chunk.recordedAt) <= asOf && (supersededAt === null || Date.parse(supersededAt) > asOf);
}

function isVisible(chunk: ChunkDocument, principals: readonly string[]): boolean {
  if (chunk.accessMode === 'provider_scope') return true;
  if (chunk.accessMode !== 'acl') return false;
  return chunk.principals.some((principal) => principal === 'anyone' || principals.includes(principal));
}
