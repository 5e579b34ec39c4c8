import type { Transaction } from '../database.js';

export interface EncryptedCredentials {
  keyId: string;
  ciphertext: Buffer;
}

export async function readCredentials(transaction: Transaction, id: string): Promise<EncryptedCredentials | null> {
  const rows: { credentials: Buffer | null; credentials_key_id: string | null }[] = await transaction.query(
    'SELECT credentials, credentials_key_id FROM source_connectors WHERE id = $1',
    [id],
  );
  const row = rows[0];
  return row?.credentials && row.credentials_key_id !== null
    ? { ciphertext: row.credentials, keyId: row.credentials_key_id }
    : null;
}

export async function updateCredentials(
  transaction: Transaction,
  id: string,
  credentials: EncryptedCredentials,
  fields: readonly string[],
): Promise<void> {
  await transaction.query(
    `UPDATE source_connectors SET credentials = $2, credentials_key_id = $3, credential_fields = $4, last_check = NULL,
       updated_at = now() WHERE id = $1`,
    [id, credentials.ciphertext, credentials.keyId, fields],
  );
}

/** Up to `limit` sources after the id `after` whose credentials are not encrypted with `keyId`, locked. */
export async function takeStaleCredentials(
  transaction: Transaction,
  keyId: string,
  page: { after: string | null; limit: number },
): Promise<{ id: string; tenantId: string; credentials: EncryptedCredentials }[]> {
  const rows: { id: string; tenant_id: string; credentials: Buffer; credentials_key_id: string }[] =
    await transaction.query(
      `SELECT id, tenant_id, credentials, credentials_key_id FROM source_connectors
       WHERE credentials IS NOT NULL AND credentials_key_id <> $1 AND ($2::uuid IS NULL OR id > $2)
       ORDER BY id LIMIT $3 FOR UPDATE`,
      [keyId, page.after, page.limit],
    );
  return rows.map((row) => ({
    id: row.id,
    tenantId: row.tenant_id,
    credentials: { keyId: row.credentials_key_id, ciphertext: row.credentials },
  }));
}

export async function storeCredentials(
  transaction: Transaction,
  id: string,
  { ciphertext, keyId }: EncryptedCredentials,
): Promise<void> {
  await transaction.query('UPDATE source_connectors SET credentials = $2, credentials_key_id = $3 WHERE id = $1', [
    id,
    ciphertext,
    keyId,
  ]);
}
