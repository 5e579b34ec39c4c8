import { v4 as randomUuid } from 'uuid';
import type { SelectQueryBuilder } from 'typeorm';
import { ANYONE, type ItemJobPayload, type JobName } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { DeadLetterEntity } from '../entities/dead-letter.entity.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { toStorableJson } from '../to-storable-json.js';
import { PERMITTED_ITEM, visibilityParameters, type Visibility } from '../visibility.js';
import { enqueueItemJob } from './outbox.repository.js';

export type DeadLetterRow = DeadLetterEntity & { externalId: string | null };

/** The payload may be anything at all: a poison message that can't be written down would come back for ever. */
export async function insertDeadLetter(
  transaction: Transaction,
  letter: Omit<DeadLetterEntity, 'id' | 'createdAt' | 'retriedAt'>,
): Promise<string> {
  const id = randomUuid();
  await transaction.query(
    `INSERT INTO dead_letters (id, tenant_id, request_id, job_name, item_id, version, payload, error_type, error_message)
     VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9)`,
    [
      id,
      letter.tenantId,
      letter.requestId,
      letter.jobName,
      letter.itemId,
      letter.version,
      toStorableJson(letter.payload),
      letter.errorType,
      letter.errorMessage.replaceAll('\0', '\ufffd'),
    ],
  );
  return id;
}

async function withExternalIds(transaction: Transaction, letters: DeadLetterEntity[]): Promise<DeadLetterRow[]> {
  const ids = letters.flatMap((letter) => letter.itemId ?? []);
  const rows: { id: string; external_id: string }[] =
    ids.length === 0
      ? []
      : await transaction.query('SELECT id, external_id FROM source_items WHERE id = ANY($1::uuid[])', [ids]);
  const byId = new Map(rows.map((row) => [row.id, row.external_id]));
  return letters.map((letter) =>
    Object.assign(letter, { externalId: letter.itemId === null ? null : (byId.get(letter.itemId) ?? null) }),
  );
}

export async function listDeadLetters(
  transaction: Transaction,
  viewer: Visibility,
  filter: { cursor?: string | undefined; limit: number },
): Promise<Page<DeadLetterRow>> {
  const after = decodeCursor(filter.cursor);
  const query = transaction
    .createQueryBuilder(DeadLetterEntity, 'd')
    .where('d.tenantId = :tenantId', { tenantId: viewer.tenantId })
    .orderBy('d.createdAt', 'DESC')
    .addOrderBy('d.id', 'DESC')
    .limit(filter.limit + 1);
  if (after) query.andWhere(`(d.createdAt, d.id) < (:at, :id)`, { ...after });
  narrow(query, viewer);
  const page = pageOfRows(await query.getMany(), filter.limit, (row) => ({
    at: row.createdAt.toISOString(),
    id: row.id,
  }));
  return { ...page, rows: await withExternalIds(transaction, page.rows) };
}

export type RetryResult =
  { kind: 'retried'; letter: DeadLetterRow } | { kind: 'not_found' } | { kind: 'not_retryable' };

/** Puts the work back. Not for a version that a newer one or a delete has overtaken. */
export async function retryDeadLetter(transaction: Transaction, viewer: Visibility, id: string): Promise<RetryResult> {
  const letter = await transaction.findOne(DeadLetterEntity, {
    where: { tenantId: viewer.tenantId, id },
    lock: { mode: 'pessimistic_write' },
  });
  if (!letter || !(await isPermitted(transaction, viewer, letter))) return { kind: 'not_found' };
  const { itemId, version, tenantId, requestId } = letter;
  if (itemId === null || version === null || letter.retriedAt) return { kind: 'not_retryable' };
  const work = { itemId, version, tenantId, requestId };
  const isSent =
    letter.jobName === 'item.refresh-metadata'
      ? await refreshAgain(transaction, work)
      : await startAgain(transaction, work);
  if (!isSent) return { kind: 'not_retryable' };
  await transaction.update(DeadLetterEntity, { id }, { retriedAt: new Date() });
  const [retried] = await withExternalIds(transaction, [await transaction.findOneByOrFail(DeadLetterEntity, { id })]);
  return retried ? { kind: 'retried', letter: retried } : { kind: 'not_found' };
}

interface WorkOfItem {
  tenantId: string;
  requestId: string;
  itemId: string;
  version: number;
}

/** The version goes through all of its stages again. */
async function startAgain(transaction: Transaction, work: WorkOfItem): Promise<boolean> {
  const rows: [{ epoch: number; has_body: boolean }[], number] = await transaction.query(
    `UPDATE item_versions v SET state = 'accepted', state_at = now(), error_type = NULL, error_message = NULL,
       epoch = v.epoch + 1, lease_until = NULL
     FROM source_items i WHERE i.id = v.item_id AND v.item_id = $1 AND v.version = $2 AND v.state = 'failed'
       AND i.deleted_at IS NULL AND i.latest_version = v.version RETURNING v.epoch, v.body IS NOT NULL AS has_body`,
    [work.itemId, work.version],
  );
  const [started] = rows[0];
  if (!started) return false;
  await transaction.query(
    `UPDATE ingestion_items SET state = 'accepted', state_at = now(), error_type = NULL, error_message = NULL
     WHERE item_id = $1 AND version = $2 AND state = 'failed'`,
    [work.itemId, work.version],
  );
  await sendAgain(transaction, started.has_body ? 'item.index' : 'item.extract', work, started.epoch);
  return true;
}

async function refreshAgain(transaction: Transaction, work: WorkOfItem): Promise<boolean> {
  const rows: [{ revision: number }[], number] = await transaction.query(
    `UPDATE source_items SET revision = revision + 1 WHERE id = $1 AND deleted_at IS NULL RETURNING revision`,
    [work.itemId],
  );
  const revision = rows[0][0]?.revision;
  if (revision === undefined) return false;
  await transaction.query(
    `UPDATE ingestion_items SET state = 'accepted', state_at = now(), error_type = NULL, error_message = NULL
     WHERE tenant_id = $1 AND request_id = $2 AND item_id = $3 AND state = 'failed'`,
    [work.tenantId, work.requestId, work.itemId],
  );
  await sendAgain(transaction, 'item.refresh-metadata', work, revision);
  return true;
}

function sendAgain(transaction: Transaction, jobName: JobName, work: WorkOfItem, epoch: number): Promise<void> {
  const { tenantId, requestId, itemId, version } = work;
  return enqueueItemJob(transaction, jobName, { tenantId, requestId, itemId, version, epoch } as ItemJobPayload);
}

/** A key that is limited to providers or principals sees the letters of items that it may see. */
function narrow(query: SelectQueryBuilder<DeadLetterEntity>, { providers, principals }: Visibility): void {
  const item = 'SELECT 1 FROM source_items i WHERE i.id = d.item_id';
  if (providers) query.andWhere(`EXISTS (${item} AND i.provider = ANY(:providers))`, { providers });
  if (!principals) return;
  const shared = `i.access_mode = 'acl' AND i.principals && :principals`;
  query.andWhere(`EXISTS (${item} AND (i.access_mode = 'provider_scope' OR (${shared})))`, {
    principals: [...principals, ANYONE],
  });
}

async function isPermitted(transaction: Transaction, viewer: Visibility, letter: DeadLetterEntity): Promise<boolean> {
  if (letter.itemId === null) return viewer.providers === null && viewer.principals === null;
  const rows: unknown[] = await transaction.query(
    `SELECT 1 FROM source_items i WHERE ${PERMITTED_ITEM} AND i.id = $4`,
    [...visibilityParameters(viewer), letter.itemId],
  );
  return rows.length > 0;
}
