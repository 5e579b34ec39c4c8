import type { Transaction } from '../database.js';
import { toStorableJson } from '../to-storable-json.js';

export type IdempotencyClaim =
  | { kind: 'claimed' }
  | { kind: 'replay'; status: number; body: unknown }
  | { kind: 'other_request' }
  | { kind: 'in_progress' };

/** How long an unfinished request keeps its key when its process died, seconds. */
const LOCK_SECONDS = 120;
const KEPT = `interval '24 hours'`;

/** Takes the key for this request, or says what became of the one that has it. */
export async function claimIdempotencyKey(
  transaction: Transaction,
  apiKeyId: string,
  key: string,
  requestDigest: string,
): Promise<IdempotencyClaim> {
  const claimed: unknown[] = await transaction.query(
    `INSERT INTO idempotency_records AS r (api_key_id, key, request_digest, locked_until)
     VALUES ($1, $2, $3, now() + make_interval(secs => $4))
     ON CONFLICT (api_key_id, key) DO UPDATE SET request_digest = excluded.request_digest, response_status = NULL,
       response_body = NULL, locked_until = excluded.locked_until, created_at = now()
     WHERE r.created_at < now() - ${KEPT} OR (r.response_status IS NULL AND r.locked_until < now())
     RETURNING key`,
    [apiKeyId, key, requestDigest, LOCK_SECONDS],
  );
  if (claimed.length > 0) return { kind: 'claimed' };
  const [record]: { request_digest: string; response_status: number | null; response_body: unknown }[] =
    await transaction.query(
      'SELECT request_digest, response_status, response_body FROM idempotency_records WHERE api_key_id = $1 AND key = $2',
      [apiKeyId, key],
    );
  if (!record) return { kind: 'in_progress' };
  if (record.request_digest !== requestDigest) return { kind: 'other_request' };
  if (record.response_status === null) return { kind: 'in_progress' };
  return { kind: 'replay', status: record.response_status, body: record.response_body };
}

export async function storeIdempotentResponse(
  transaction: Transaction,
  apiKeyId: string,
  key: string,
  response: { status: number; body: unknown },
): Promise<void> {
  await transaction.query(
    `UPDATE idempotency_records SET response_status = $3, response_body = $4::jsonb WHERE api_key_id = $1 AND key = $2`,
    [apiKeyId, key, response.status, toStorableJson(response.body)],
  );
}

/** A request that changed nothing frees its key, so that it can be tried again. */
export async function releaseIdempotencyKey(transaction: Transaction, apiKeyId: string, key: string): Promise<void> {
  await transaction.query(
    'DELETE FROM idempotency_records WHERE api_key_id = $1 AND key = $2 AND response_status IS NULL',
    [apiKeyId, key],
  );
}

export async function deleteOldIdempotencyRecords(transaction: Transaction): Promise<void> {
  await transaction.query(`DELETE FROM idempotency_records WHERE created_at < now() - ${KEPT}`);
}
