import { createHash } from 'node:crypto';
import type { IngestDocument } from '@candor/contracts';
import { hashFile, type EarlierFileDocument, type FileDocument } from './repositories/item-file.repository.js';

function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** SHA-256 (hex) over what is chunked and embedded; equal = no new version. */
export function hashContent(
  document:
    Pick<IngestDocument, 'title' | 'body' | 'mimeType'> | Pick<FileDocument | EarlierFileDocument, 'title' | 'file'>,
): string {
  if ('file' in document) return sha256([document.title, document.file.mediaType, { sha256: hashFile(document.file) }]);
  return sha256([document.title, document.mimeType, document.body]);
}

/** SHA-256 (hex) over everything else that is kept; a difference alone is a metadata change. */
export function hashMetadata(document: Omit<IngestDocument, 'body' | 'mimeType'>): string {
  return sha256([
    document.sourceKind,
    document.url ?? null,
    document.authorName ?? null,
    document.sourceCreatedAt ?? null,
    document.sourceUpdatedAt ?? null,
    document.validFrom ?? null,
    document.validUntil ?? null,
    document.supersedes ?? [],
    document.tags ?? [],
    sortKeys(document.accessPolicy ?? null),
    sortKeys(document.metadata ?? {}),
  ]);
}

/** Two payloads that differ only in the order of their keys are the same. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}
