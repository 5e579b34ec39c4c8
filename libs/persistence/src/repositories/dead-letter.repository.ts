import { v4 as randomUuid } from 'uuid';
import type { ItemJobPayload, JobName } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { DeadLetterEntity } from '../entities/dead-letter.entity.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { toStorableJson } from '../to-storable-json.js';
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
  tenantId: string,
  filter: { cursor?: string | undefined; limit: number },
): Promise<Page<DeadLetterRow>> {
  const after = decodeCursor(filter.cursor);
  const query = transaction
    .createQueryBuilder(DeadLetterEntity, 'd')
    .where('d.tenantId = :tenantId', { tenantId })
    .orderBy('d.createdAt', 'DESC')
    .addOrderBy('d.id', 'DESC')
    .limit(filter.limit + 1);
  if (after) query.andWhere(`(d.createdAt, d.id) < (:at, :id)`, { ...after });
  const page = pageOfRows(await query.getMany(), filter.limit, (row) => ({
    at: row.createdAt.toISOString(),
    id: row.id,
  }));
  return { ...page, rows: await withExternalIds(transaction, page.rows) };
}

export type RetryResult =
  { kind: 'retried'; letter: DeadLetterRow } | { kind: 'not_found' } | { kind: 'not_retryable' };

/** Puts the version back to its first stage. Not for one that a newer version or a delete has overtaken. */
export async function retryDeadLetter(transaction: Transaction, tenantId: string, id: string): Promise<RetryResult> {
  const letter = await transaction.findOne(DeadLetterEntity, {
    where: { tenantId, id },
    lock: { mode: 'pessimistic_write' },
  });
  if (!letter) return { kind: 'not_found' };
  if (letter.itemId === null || letter.version === null || letter.retriedAt) return { kind: 'not_retryable' };
  const rows: [{ epoch: number }[], number] = await transaction.query(
    `UPDATE item_versions v SET state = 'accepted', state_at = now(), error_type = NULL, error_message = NULL,
       epoch = v.epoch + 1, lease_until = NULL
     FROM source_items i WHERE i.id = v.item_id AND v.item_id = $1 AND v.version = $2 AND v.state = 'failed'
       AND i.deleted_at IS NULL AND i.latest_version = v.version RETURNING v.epoch`,
    [letter.itemId, letter.version],
  );
  const epoch = rows[0][0]?.epoch;
  if (epoch === undefined) return { kind: 'not_retryable' };
  await transaction.query(
    `UPDATE ingestion_items SET state = 'accepted', state_at = now(), error_type = NULL, error_message = NULL
     WHERE item_id = $1 AND version = $2 AND state = 'failed'`,
    [letter.itemId, letter.version],
  );
  await enqueueItemJob(transaction, 'item.extract' satisfies JobName, {
    tenantId,
    requestId: letter.requestId,
    itemId: letter.itemId,
    version: letter.version,
    epoch,
  } as ItemJobPayload);
  await transaction.update(DeadLetterEntity, { id }, { retriedAt: new Date() });
  const [retried] = await withExternalIds(transaction, [await transaction.findOneByOrFail(DeadLetterEntity, { id })]);
  return retried ? { kind: 'retried', letter: retried } : { kind: 'not_found' };
}
