import type { DocumentStatus, ItemState, Provider } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { VISIBLE_ITEM, visibilityParameters, type Visibility } from '../visibility.js';
import { escapeLike } from './collection.repository.js';

export interface DocumentRow {
  id: string;
  title: string;
  provider: Provider;
  externalId: string;
  url: string | null;
  authorName: string | null;
  tags: string[];
  version: number;
  /** Of the newest version. */
  state: ItemState;
  errorType: string | null;
  errorMessage: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface DocumentFilter {
  search?: string | undefined;
  tags?: readonly string[] | undefined;
  collectionId?: string | undefined;
  sourceType?: Provider | undefined;
  status?: DocumentStatus | undefined;
  cursor?: string | undefined;
  limit: number;
}

/** Every state is one of these three to a reader. */
export function toDocumentStatus(state: ItemState): DocumentStatus {
  if (state === 'failed') return 'failed';
  return state === 'indexed' ? 'ready' : 'pending';
}

const COLUMNS = `i.id, i.title, i.provider, i.external_id AS "externalId", i.url, i.author_name AS "authorName", i.tags,
  i.latest_version AS version, v.state, v.error_type AS "errorType", v.error_message AS "errorMessage",
  i.created_at AS "createdAt", i.updated_at AS "updatedAt"`;
const NEWEST = 'JOIN item_versions v ON v.item_id = i.id AND v.version = i.latest_version';

/** Newest first. */
export async function listDocuments(
  transaction: Transaction,
  viewer: Visibility,
  filter: DocumentFilter,
): Promise<Page<DocumentRow>> {
  const after = decodeCursor(filter.cursor);
  const rows: DocumentRow[] = await transaction.query(
    `SELECT ${COLUMNS} FROM source_items i ${NEWEST}
     WHERE ${VISIBLE_ITEM}
       AND ($4::text IS NULL OR i.title ILIKE $4)
       AND ($5::text[] IS NULL OR i.tags @> $5)
       AND ($6::uuid IS NULL OR EXISTS (SELECT 1 FROM collection_items m
         WHERE m.collection_id = $6 AND m.tenant_id = $1 AND m.item_type = 'document' AND m.item_id = i.id))
       AND ($7::text IS NULL OR i.provider = $7)
       AND ($8::text IS NULL OR $8 = CASE v.state WHEN 'failed' THEN 'failed' WHEN 'indexed' THEN 'ready' ELSE 'pending' END)
       AND ($9::timestamptz IS NULL OR (i.created_at, i.id) < ($9, $10::uuid))
     ORDER BY i.created_at DESC, i.id DESC LIMIT $11`,
    [
      ...visibilityParameters(viewer),
      filter.search ? `%${escapeLike(filter.search)}%` : null,
      filter.tags && filter.tags.length > 0 ? filter.tags : null,
      filter.collectionId ?? null,
      filter.sourceType ?? null,
      filter.status ?? null,
      after?.at ?? null,
      after?.id ?? null,
      filter.limit + 1,
    ],
  );
  return pageOfRows(rows, filter.limit, (row) => ({ at: row.createdAt.toISOString(), id: row.id }));
}

/**
 * The newest content as text. Until that was read it is what was sent, if that is text as it stands, and while it can't
 * be had the searchable one.
 */
const CONTENT = `CASE WHEN v.state = 'failed' THEN l.text
  ELSE coalesce(v.text, CASE WHEN v.mime_type <> 'text/html' THEN v.body END, l.text) END`;

/** With its text; null when absent, deleted or not for this viewer. */
export async function findDocument(
  transaction: Transaction,
  viewer: Visibility,
  id: string,
): Promise<(DocumentRow & { content: string | null }) | null> {
  const rows: (DocumentRow & { content: string | null })[] = await transaction.query(
    `SELECT ${COLUMNS}, ${CONTENT} AS content
     FROM source_items i ${NEWEST}
     LEFT JOIN item_versions l ON l.item_id = i.id AND l.version = i.live_version
     WHERE ${VISIBLE_ITEM} AND i.id = $4`,
    [...visibilityParameters(viewer), id],
  );
  return rows[0] ?? null;
}
