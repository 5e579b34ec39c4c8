import { v5 as uuidOf } from 'uuid';
import type { AccessPolicy, IngestDocument, ItemState, Provider } from '@candor/contracts';
import type { Transaction } from '../database.js';
import type { SourceItemEntity } from '../entities/source-item.entity.js';
import type { Page } from '../page-cursor.js';
import { decodeVersionCursor, pageOfVersions } from '../version-page.js';
import { VISIBLE_ITEM, visibilityParameters, type Visibility } from '../visibility.js';
import { CHANGE_LOG_CHARACTERS, type VersionRow } from './prompt.repository.js';

const VERSION_NAMESPACE = '0b6f3f0e-6d5c-4b7e-9a44-5c1c7f5f2b90';

/** The public id of an item's version; the database has none, since (item, version) is one. */
export function versionIdOf(itemId: string, version: number): string {
  return uuidOf(`${itemId}:${version}`, VERSION_NAMESPACE);
}

/** Newest first, with the text as it was read; who may see the item is the caller's to check. */
export async function listDocumentVersions(
  transaction: Transaction,
  tenantId: string,
  itemId: string,
  filter: { cursor?: string | undefined; limit: number },
): Promise<Page<VersionRow>> {
  const rows: (Omit<VersionRow, 'id' | 'content'> & { characters: number })[] = await transaction.query(
    `SELECT v.version, v.title, v.recorded_at AS "createdAt", n.change_log AS "changeLog", k.name AS "userName",
       coalesce(length(v.text), 0) AS characters
     FROM item_versions v
     LEFT JOIN item_version_notes n ON n.item_id = v.item_id AND n.version = v.version
     LEFT JOIN ingestions r ON r.tenant_id = v.tenant_id AND r.request_id = v.request_id
     LEFT JOIN api_keys k ON k.id = r.api_key_id AND k.tenant_id = v.tenant_id
     WHERE v.tenant_id = $1 AND v.item_id = $2 AND ($3::integer IS NULL OR v.version < $3)
     ORDER BY v.version DESC LIMIT $4`,
    [tenantId, itemId, decodeVersionCursor(filter.cursor), filter.limit + 1],
  );
  const page = pageOfVersions(rows, filter.limit, (row) => row.characters);
  const texts: { version: number; text: string | null }[] = await transaction.query(
    'SELECT version, text FROM item_versions WHERE tenant_id = $1 AND item_id = $2 AND version = ANY($3::integer[])',
    [tenantId, itemId, page.rows.map((row) => row.version)],
  );
  const contents = new Map(texts.map(({ version, text }) => [version, text]));
  return {
    ...page,
    rows: page.rows.map(({ characters: _characters, ...row }) => ({
      ...row,
      id: versionIdOf(itemId, row.version),
      content: contents.get(row.version) ?? null,
    })),
  };
}

/** Adds to what was said about a version before. */
export async function noteItemVersion(
  transaction: Transaction,
  tenantId: string,
  { itemId, version }: { itemId: string; version: number },
  changeLog: string,
): Promise<void> {
  await transaction.query(
    `INSERT INTO item_version_notes AS n (tenant_id, item_id, version, change_log) VALUES ($1, $2, $3, $4)
     ON CONFLICT (item_id, version) DO UPDATE
       SET change_log = right(n.change_log || E'\\n' || excluded.change_log, ${CHANGE_LOG_CHARACTERS})`,
    [tenantId, itemId, version, changeLog],
  );
}

/** An item's head: all that a document is written again with, but for its content. */
export type DocumentHead = Pick<
  SourceItemEntity,
  | 'id'
  | 'provider'
  | 'connectorId'
  | 'externalId'
  | 'sourceKind'
  | 'title'
  | 'url'
  | 'authorName'
  | 'sourceCreatedAt'
  | 'sourceUpdatedAt'
  | 'syncedAt'
  | 'validFrom'
  | 'validUntil'
  | 'supersedes'
  | 'tags'
  | 'accessPolicy'
  | 'metadata'
  | 'latestVersion'
>;

interface HeadRow extends Omit<DocumentHead, 'provider' | 'accessPolicy'> {
  provider: Provider;
  accessPolicy: AccessPolicy | null;
}

/** Held until the transaction ends, so that of two changes at once the second one starts from the first. */
export async function lockDocument(
  transaction: Transaction,
  viewer: Visibility,
  id: string,
): Promise<DocumentHead | null> {
  const rows: HeadRow[] = await transaction.query(
    `SELECT i.id, i.provider, i.connector_id AS "connectorId", i.external_id AS "externalId",
       i.source_kind AS "sourceKind", i.title, i.url, i.author_name AS "authorName",
       i.source_created_at AS "sourceCreatedAt", i.source_updated_at AS "sourceUpdatedAt", i.synced_at AS "syncedAt", i.valid_from AS "validFrom",
       i.valid_until AS "validUntil", i.supersedes, i.tags, i.access_policy AS "accessPolicy", i.metadata,
       i.latest_version AS "latestVersion"
     FROM source_items i WHERE ${VISIBLE_ITEM} AND i.id = $4 FOR UPDATE`,
    [...visibilityParameters(viewer), id],
  );
  return rows[0] ?? null;
}

/** One version as it was sent. */
export interface SentVersion {
  version: number;
  state: ItemState;
  title: string;
  mimeType: IngestDocument['mimeType'];
  /** null while the text of a file was not read, and when the content is gone. */
  body: string | null;
  file: SentFile | null;
}

export interface SentFile {
  name: string;
  mediaType: string;
  sha256: string;
  titleIsDefault: boolean;
}

export async function findSentVersion(
  transaction: Transaction,
  tenantId: string,
  itemId: string,
  version: number,
): Promise<SentVersion | null> {
  const rows: (Omit<SentVersion, 'file'> & { name: string | null } & Omit<SentFile, 'name'>)[] =
    await transaction.query(
      `SELECT v.version, v.state, v.title, v.mime_type AS "mimeType", v.body,
         f.name, f.media_type AS "mediaType", f.sha256, f.title_is_default AS "titleIsDefault"
       FROM item_versions v LEFT JOIN item_files f ON f.item_id = v.item_id AND f.version = v.version
       WHERE v.tenant_id = $1 AND v.item_id = $2 AND v.version = $3`,
      [tenantId, itemId, version],
    );
  const [row] = rows;
  if (!row) return null;
  const { name, mediaType, sha256, titleIsDefault, ...sent } = row;
  return { ...sent, file: name === null ? null : { name, mediaType, sha256, titleIsDefault } };
}

/** The version behind a public id; null when the item has no such one. */
export async function findVersionNumber(
  transaction: Transaction,
  tenantId: string,
  itemId: string,
  versionId: string,
): Promise<number | null> {
  const rows: { version: number }[] = await transaction.query(
    'SELECT version FROM item_versions WHERE tenant_id = $1 AND item_id = $2',
    [tenantId, itemId],
  );
  return rows.find(({ version }) => versionIdOf(itemId, version) === versionId)?.version ?? null;
}
