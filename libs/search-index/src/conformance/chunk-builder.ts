import { createHash, randomUUID } from 'node:crypto';
import type { ChunkDocument, ChunkFilter, IndexOperation } from '../search-index.port.js';

export const DIMENSIONS = 8;

/** A unit vector in the direction of the numbers given (the rest is 0). */
export function unitVector(...numbers: number[]): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector.set(numbers);
  const length = Math.hypot(...vector);
  return vector.map((each) => each / length);
}

export function buildChunk(tenantId: string, overrides: Partial<ChunkDocument> = {}): ChunkDocument {
  const content = overrides.content ?? 'plain words';
  return {
    chunkId: randomUUID(),
    tenantId,
    itemId: randomUUID(),
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
    title: 'Title',
    sectionPath: [],
    content,
    contentHash: createHash('sha256').update(content).digest('hex'),
    vector: unitVector(1),
    sourceUpdatedAt: '2024-03-01T00:00:00.000Z',
    recordedAt: '2024-03-02T00:00:00.000Z',
    validFrom: null,
    validUntil: null,
    tags: [],
    ...overrides,
  };
}

/** One operation for chunks of one item and version. */
export function putVersion(...chunks: ChunkDocument[]): IndexOperation {
  const [first] = chunks;
  if (!first) throw new Error('A version of a test has at least one chunk.');
  return { kind: 'put-version', itemId: first.itemId, version: first.version, recordedAt: first.recordedAt, chunks };
}

export function openFilter(tenantId: string, overrides: Partial<ChunkFilter> = {}): ChunkFilter {
  return { tenantId, providers: null, principals: null, itemIds: null, ...overrides };
}

/** Strings that break naive quoting, parsing or tokenizing. */
export const HOSTILE_STRINGS = [
  "'); DROP TABLE live; --",
  'it\'s "quoted" `ticked` \\\'back\\\\slashed\\',
  "' OR '1'='1",
  'a\u0000b',
  'new\nline\r\ttab',
  'ünï¢ødé 🎉 עברית 漢字 \u202E',
  '${jndi:ldap://x} {{7*7}} <script>',
  '+title:"x" AND (NOT *:*) ~2 ^5 /re.*/ [a TO b}',
  '%_\\%',
  '*',
  ' ',
  'x'.repeat(300),
];
