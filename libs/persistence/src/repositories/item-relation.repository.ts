import type { Transaction } from '../database.js';
import type { DeclaredRelation } from '../read-relations.js';

export interface DeclaringVersion {
  tenantId: string;
  itemId: string;
  version: number;
}

/**
 * What new versions declare, and versions whose metadata changed declare now; what their texts refer to stays. One
 * statement where nothing was declared before.
 */
export async function saveRelations(
  transaction: Transaction,
  versions: readonly (DeclaringVersion & { relations: readonly DeclaredRelation[]; isNew: boolean })[],
): Promise<void> {
  const changed = versions.filter(({ isNew }) => !isNew);
  if (changed.length > 0)
    await transaction.query(
      `DELETE FROM item_relations d USING unnest($1::uuid[], $2::integer[]) AS v(item_id, version)
       WHERE d.item_id = v.item_id AND d.version = v.version AND d.kind <> 'references'`,
      [changed.map(({ itemId }) => itemId), changed.map(({ version }) => version)],
    );
  await insertRelations(transaction, versions);
}

/** The addresses that texts name; see `findLinks`. */
export function saveReferences(
  transaction: Transaction,
  versions: readonly (DeclaringVersion & { links: readonly string[] })[],
): Promise<void> {
  return insertRelations(
    transaction,
    versions.map((version) => ({
      ...version,
      relations: version.links.map((target): DeclaredRelation => ({ kind: 'references', target })),
    })),
  );
}

async function insertRelations(
  transaction: Transaction,
  versions: readonly (DeclaringVersion & { relations: readonly DeclaredRelation[] })[],
): Promise<void> {
  const rows = versions.flatMap(({ tenantId, itemId, version, relations }) =>
    relations.map(({ kind, target }) => ({ tenantId, itemId, version, kind, target })),
  );
  if (rows.length === 0) return;
  await transaction.query(
    `INSERT INTO item_relations (tenant_id, item_id, version, kind, target)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::text[])
     ON CONFLICT DO NOTHING`,
    [
      rows.map(({ tenantId }) => tenantId),
      rows.map(({ itemId }) => itemId),
      rows.map(({ version }) => version),
      rows.map(({ kind }) => kind),
      rows.map(({ target }) => target),
    ],
  );
}

/** With the item: what it declared, what was inferred of it, and what was approved. */
export async function deleteRelationsOf(transaction: Transaction, tenantId: string, itemId: string): Promise<void> {
  await transaction.query(
    `WITH declared AS (DELETE FROM item_relations WHERE tenant_id = $1 AND item_id = $2),
       reviewed AS (DELETE FROM reviewed_relations WHERE tenant_id = $1 AND (from_item_id = $2 OR to_item_id = $2))
     DELETE FROM relation_proposals WHERE tenant_id = $1 AND (first_item_id = $2 OR second_item_id = $2)`,
    [tenantId, itemId],
  );
}
