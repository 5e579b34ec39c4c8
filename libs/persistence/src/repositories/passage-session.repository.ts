import { v4 as randomUuid } from 'uuid';
import type { Transaction } from '../database.js';

/** Sessions belong to the key that started them. */
export async function insertPassageSession(
  transaction: Transaction,
  owner: { tenantId: string; apiKeyId: string },
): Promise<string> {
  const id = randomUuid();
  await transaction.query('INSERT INTO passage_sessions (id, tenant_id, api_key_id) VALUES ($1, $2, $3)', [
    id,
    owner.tenantId,
    owner.apiKeyId,
  ]);
  return id;
}

/** Locks the session until the transaction ends, so that two searches in it never show the same chunk; null = not there. */
export async function lockPassageSession(
  transaction: Transaction,
  owner: { tenantId: string; apiKeyId: string },
  id: string,
): Promise<string[] | null> {
  const [row]: { shown_chunk_ids: string[] }[] = await transaction.query(
    'SELECT shown_chunk_ids FROM passage_sessions WHERE id = $1 AND tenant_id = $2 AND api_key_id = $3 FOR UPDATE',
    [id, owner.tenantId, owner.apiKeyId],
  );
  return row?.shown_chunk_ids ?? null;
}

/** A session that nobody has used up within a day is over. */
export async function deleteOldPassageSessions(transaction: Transaction): Promise<void> {
  await transaction.query(`DELETE FROM passage_sessions WHERE created_at < now() - interval '24 hours'`);
}

export async function addShownChunks(transaction: Transaction, id: string, chunkIds: string[]): Promise<void> {
  await transaction.query('UPDATE passage_sessions SET shown_chunk_ids = shown_chunk_ids || $2::uuid[] WHERE id = $1', [
    id,
    chunkIds,
  ]);
}
