import { createHash } from 'node:crypto';
import type { IngestDocument, ItemJobPayload } from '@candor/contracts';
import type { Transaction } from '../database.js';

/** The bytes of a document, to be read by the extract stage. */
export interface NewFile {
  name: string;
  /** As stated by whoever sent it; may be empty or wrong. */
  mediaType: string;
  bytes: Buffer;
  /** The title is a stand-in (the file's name): one found in the file replaces it. */
  titleIsDefault?: boolean;
}

/** The file of an earlier version of the same item: its bytes needn't leave the database to be used again. */
export interface EarlierFile extends Omit<NewFile, 'bytes'> {
  ofVersion: number;
  /** Hex. */
  sha256: string;
}

/** A document whose text is still in a file. */
export type FileDocument = Omit<IngestDocument, 'body' | 'mimeType'> & { file: NewFile };
export type EarlierFileDocument = Omit<FileDocument, 'file'> & { file: EarlierFile };

export type NewDocument = IngestDocument | FileDocument | EarlierFileDocument;

export interface StoredFile extends NewFile {
  titleIsDefault: boolean;
}

export interface ItemFileFacts {
  name: string;
  mediaType: string;
  byteSize: number;
  sha256: string;
  warnings: string[];
}

export function isFileDocument(document: NewDocument): document is FileDocument | EarlierFileDocument {
  return 'file' in document;
}

/** SHA-256 (hex) of a file's bytes. */
export function hashFile(file: NewFile | EarlierFile): string {
  return 'bytes' in file ? createHash('sha256').update(file.bytes).digest('hex') : file.sha256;
}

export async function insertItemFile(
  transaction: Transaction,
  tenantId: string,
  target: { itemId: string; version: number },
  file: NewFile | EarlierFile,
): Promise<void> {
  if (!('bytes' in file)) {
    await copyItemFile(transaction, tenantId, target, file);
    return;
  }
  await transaction.query(
    `INSERT INTO item_files (tenant_id, item_id, version, name, media_type, byte_size, sha256, bytes, title_is_default)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      tenantId,
      target.itemId,
      target.version,
      file.name,
      file.mediaType,
      file.bytes.length,
      hashFile(file),
      file.bytes,
      file.titleIsDefault ?? false,
    ],
  );
}

async function copyItemFile(
  transaction: Transaction,
  tenantId: string,
  { itemId, version }: { itemId: string; version: number },
  file: EarlierFile,
): Promise<void> {
  const copied: unknown[] = await transaction.query(
    `INSERT INTO item_files (tenant_id, item_id, version, name, media_type, byte_size, sha256, bytes, title_is_default)
     SELECT f.tenant_id, f.item_id, $3, f.name, f.media_type, f.byte_size, f.sha256, f.bytes, $5 FROM item_files f
     WHERE f.tenant_id = $1 AND f.item_id = $2 AND f.version = $4 RETURNING version`,
    [tenantId, itemId, version, file.ofVersion, file.titleIsDefault ?? false],
  );
  if (copied.length === 0) throw new Error(`item ${itemId} has no file of version ${file.ofVersion}`);
}

/** Of a file's bytes, at a time: the driver makes text of twice the size of what it receives. */
const READ_PART_BYTES = 4 * 1024 * 1024;

/** Null for a version that came as text. */
export async function findItemFile(
  transaction: Transaction,
  tenantId: string,
  itemId: string,
  version: number,
): Promise<StoredFile | null> {
  const target = [tenantId, itemId, version];
  const rows: { name: string; media_type: string; byte_size: number; title_is_default: boolean }[] =
    await transaction.query(
      `SELECT name, media_type, byte_size, title_is_default FROM item_files
       WHERE tenant_id = $1 AND item_id = $2 AND version = $3`,
      target,
    );
  const row = rows[0];
  if (!row) return null;
  const parts: Buffer[] = [];
  for (let start = 0; start < row.byte_size; start += READ_PART_BYTES) {
    const found: { part: Buffer }[] = await transaction.query(
      `SELECT substring(bytes FROM $4::integer FOR $5::integer) AS part FROM item_files
       WHERE tenant_id = $1 AND item_id = $2 AND version = $3`,
      [...target, start + 1, READ_PART_BYTES],
    );
    // Purged meanwhile.
    if (!found[0]) return null;
    parts.push(found[0].part);
  }
  return {
    name: row.name,
    mediaType: row.media_type,
    bytes: Buffer.concat(parts),
    titleIsDefault: row.title_is_default,
  };
}

/** Tells the sweeper that a reader is at work for longer than a stage may stay silent. */
export async function extendStageLease(transaction: Transaction, job: ItemJobPayload, seconds: number): Promise<void> {
  await transaction.query(
    `UPDATE item_versions SET lease_until = now() + make_interval(secs => $4)
     WHERE tenant_id = $1 AND item_id = $2 AND version = $3 AND state = 'extracting'`,
    [job.tenantId, job.itemId, job.version, seconds],
  );
}

/** What is known of a version's file, without its bytes. */
export async function findItemFileFacts(
  transaction: Transaction,
  tenantId: string,
  itemId: string,
  version: number,
): Promise<ItemFileFacts | null> {
  const rows: { name: string; media_type: string; byte_size: number; sha256: string; warnings: string[] }[] =
    await transaction.query(
      `SELECT name, media_type, byte_size, sha256, warnings FROM item_files
       WHERE tenant_id = $1 AND item_id = $2 AND version = $3`,
      [tenantId, itemId, version],
    );
  const row = rows[0];
  if (!row) return null;
  const { name, media_type: mediaType, byte_size: byteSize, sha256, warnings } = row;
  return { name, mediaType, byteSize, sha256, warnings };
}

export interface FileReading {
  /** The file's own; null keeps what the caller said. */
  title: string | null;
  authorName: string | null;
  body: string;
  mimeType: IngestDocument['mimeType'];
  warnings: readonly string[];
}

/**
 * Keeps what was read in a file beside its bytes: the body as if it had been pushed, title and author where the caller
 * named none. A newer version's title is not touched, and nothing is once the version has left the stage.
 */
export async function saveFileReading(
  transaction: Transaction,
  job: ItemJobPayload,
  reading: FileReading,
): Promise<void> {
  const target = [job.tenantId, job.itemId, job.version];
  const [, changed]: [unknown[], number] = await transaction.query(
    `UPDATE item_versions SET body = $4, mime_type = $5, title = coalesce($6, title)
     WHERE tenant_id = $1 AND item_id = $2 AND version = $3 AND state = 'extracting'`,
    [...target, reading.body, reading.mimeType, reading.title],
  );
  if (changed === 0) return;
  await transaction.query(
    `UPDATE item_files SET warnings = $4 WHERE tenant_id = $1 AND item_id = $2 AND version = $3`,
    [...target, reading.warnings],
  );
  await transaction.query(
    `UPDATE source_items SET title = coalesce($4, title), author_name = coalesce(author_name, $5), updated_at = now()
     WHERE tenant_id = $1 AND id = $2 AND latest_version = $3 AND deleted_at IS NULL`,
    [...target, reading.title, reading.authorName],
  );
}
