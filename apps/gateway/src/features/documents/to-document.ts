import type { Document, DocumentSummary, ItemId } from '@candor/contracts';
import { toDocumentStatus, type DocumentRow, type ItemFileFacts } from '@candor/persistence';

export function toDocumentSummary(row: DocumentRow): DocumentSummary {
  return {
    id: row.id as ItemId,
    title: row.title,
    status: toDocumentStatus(row.state),
    error: row.errorType === null ? null : { type: row.errorType, message: row.errorMessage ?? '' },
    sourceType: row.provider,
    externalId: row.externalId,
    url: row.url,
    authorName: row.authorName,
    tags: row.tags,
    version: row.version,
    currentVersion: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export function toDocument(row: DocumentRow & { content: string | null }, file: ItemFileFacts | null): Document {
  return { ...toDocumentSummary(row), content: row.content, file };
}
