import type { Transaction } from '../database.js';
import type { ErasedPerson } from './erasure.repository.js';

/** What names a person, or is the person's own, by what it is; each is done in one go, since one person's are few. */
const PARTS = {
  feedback: {
    condition: 'api_key_id = ANY ($2::uuid[])',
    erase: 'DELETE FROM feedback WHERE',
  },
  passage_sessions: {
    condition: 'api_key_id = ANY ($2::uuid[])',
    erase: 'DELETE FROM passage_sessions WHERE',
  },
  prompt_versions: {
    condition: '(api_key_id = ANY ($2::uuid[]) OR user_name = ANY ($3::text[]))',
    erase: 'UPDATE prompt_versions SET api_key_id = NULL, user_name = NULL WHERE',
  },
  source_items: {
    condition: 'author_name = ANY ($3::text[])',
    erase: 'UPDATE source_items SET author_name = NULL WHERE',
  },
  relation_proposals: {
    condition: 'reviewed_by = ANY ($2::uuid[]) AND note IS NOT NULL',
    erase: 'UPDATE relation_proposals SET note = NULL WHERE',
  },
  reviewed_relations: {
    condition: 'reviewer_api_key_id = ANY ($2::uuid[]) AND note IS NOT NULL',
    erase: 'UPDATE reviewed_relations SET note = NULL WHERE',
  },
  // The installation's first key stands for no person: without it nobody administers the tenants.
  // Not deleted: audit events name its id, and nobody may get one that means somebody else.
  api_keys: {
    condition: `id = ANY ($2::uuid[]) AND NOT is_installation_key AND name <> 'Erased'`,
    erase: `UPDATE api_keys SET name = 'Erased', principals = '{}', revoked_at = coalesce(revoked_at, now()) WHERE`,
  },
} as const;
const NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[];
// Both lists are used in each statement, or Postgres would not know their types.
const BOTH = '($2::uuid[] IS NOT NULL AND $3::text[] IS NOT NULL)';

export async function countOfPerson(
  transaction: Transaction,
  tenantId: string,
  { apiKeyIds, authorNames }: ErasedPerson,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of NAMES) {
    const [row]: { rows: number }[] = await transaction.query(
      `SELECT count(*)::integer AS rows FROM ${name} WHERE tenant_id = $1 AND ${BOTH} AND ${PARTS[name].condition}`,
      [tenantId, apiKeyIds, authorNames],
    );
    if (row && row.rows > 0) counts[name] = row.rows;
  }
  return counts;
}

export async function erasePerson(
  transaction: Transaction,
  tenantId: string,
  { apiKeyIds, authorNames }: ErasedPerson,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of NAMES) {
    const [, rows]: [unknown, number] = await transaction.query(
      `${PARTS[name].erase} tenant_id = $1 AND ${BOTH} AND ${PARTS[name].condition}`,
      [tenantId, apiKeyIds, authorNames],
    );
    if (rows > 0) counts[name] = rows;
  }
  // Stored responses and secrets belong to a key. The installation's first one is nobody's and stays as it is.
  for (const table of ['idempotency_records', 'api_key_secrets'])
    await transaction.query(
      `DELETE FROM ${table} WHERE api_key_id IN (SELECT id FROM api_keys WHERE tenant_id = $1 AND id = ANY ($2::uuid[])
         AND NOT is_installation_key)`,
      [tenantId, apiKeyIds],
    );
  return counts;
}
