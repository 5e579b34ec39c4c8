import { randomUUID } from 'node:crypto';
import type { ApiKeyId, CallerScope, ItemId, TenantId } from '@candor/contracts';
import type { ItemHead, KeyHead } from '@candor/persistence/views';
import type { WordMatch } from '@candor/reasoning/relevance';
import type { Candidate, ChunkDocument } from '@candor/search-index/read';

export const TENANT = '11111111-1111-4111-8111-111111111111' as TenantId;
export const API_KEY = '22222222-2222-4222-8222-222222222222' as ApiKeyId;
export const RECORDED_AT = '2026-01-01T00:00:00.000Z';
export const DIMENSIONS = 4;
export const NOTHING_MATCHED: WordMatch = { coverage: 0, isComplete: false, hasIdentifier: false };

/** Readable and stable: `idOf(7)` ends in …07. */
export function idOf(number: number): ItemId {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as ItemId;
}

/** A unit vector with this cosine to `queryVector()`. */
export function vectorOf(cosine: number): Float32Array {
  return Float32Array.from([cosine, Math.sqrt(Math.max(0, 1 - cosine * cosine)), 0, 0]);
}
export function queryVector(): Float32Array {
  return vectorOf(1);
}

export function aScope(parts: Partial<CallerScope> = {}): CallerScope {
  return {
    tenantId: TENANT,
    apiKeyId: API_KEY,
    actorType: 'agent',
    allowedActions: ['search', 'context'],
    allowedProviders: null,
    principals: null,
    ...parts,
  };
}

export function aKey(parts: Partial<KeyHead> = {}): KeyHead {
  return { ...aScope(), ...parts };
}

export function aHead(parts: Partial<ItemHead> = {}): ItemHead {
  const provider = parts.provider ?? 'notion';
  return {
    itemId: idOf(1),
    version: 1,
    title: 'Brand decisions',
    url: 'https://notion.example/brand',
    provider,
    syncedAt: new Date('2026-05-30T20:00:00.000Z'),
    validFrom: null,
    validUntil: null,
    accessPolicy: { provider, mode: 'provider_scope', workspaceId: 'w1' },
    accessMode: 'provider_scope',
    principals: [],
    contentHash: `hash-of-${parts.itemId ?? idOf(1)}`,
    current: true,
    notYetKnown: false,
    superseded: false,
    ...parts,
  };
}

export function aChunk(parts: Partial<ChunkDocument> = {}): ChunkDocument {
  return {
    chunkId: randomUUID(),
    tenantId: TENANT,
    itemId: idOf(1),
    version: 1,
    provider: 'notion',
    connectorId: null,
    accessMode: 'provider_scope',
    principals: [],
    level: 'paragraph',
    ordinal: 0,
    parentId: null,
    previousId: null,
    nextId: null,
    title: 'Brand decisions',
    sectionPath: [],
    content: "We're keeping the lime-green accent.",
    contentHash: `hash-of-${parts.itemId ?? idOf(1)}`,
    vector: vectorOf(0.5),
    sourceUpdatedAt: null,
    recordedAt: RECORDED_AT,
    validFrom: null,
    validUntil: null,
    tags: [],
    ...parts,
  };
}

export function aCandidate(parts: Partial<Candidate> = {}): Candidate {
  return { chunk: aChunk(), cosine: 0.5, denseRank: 1, lexicalRank: null, lexicalScore: null, ...parts };
}
