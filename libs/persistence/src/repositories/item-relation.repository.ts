import type { Transaction } from '../database.js';
import type { DeclaredRelation } from '../read-relations.js';

export interface DeclaringVersion {
  tenantId: string;
  itemId: string;
  version: number;
}

/**
 * What new versions declare, and versions whose metadata changed declare from now on: what they no longer say keeps the
 * time until when they did. What their texts refer to stays. One statement where nothing was declared before.
 */
export async function saveRelations(
  transaction: Transaction,
  versions: readonly (DeclaringVersion & { relations: readonly DeclaredRelation[]; isNew: boolean })[],
): Promise<void> {
  const changed = versions.filter(({ isNew }) => !isNew);
  if (changed.length > 0) await endRelations(transaction, changed);
  await insertRelations(transaction, versions);
}

/** A transaction that began earlier may come later: what it takes back was never said, so that times never overlap. */
async function endRelations(
  transaction: Transaction,
  versions: readonly (DeclaringVersion & { relations: readonly DeclaredRelation[] })[],
): Promise<void> {
  const named = [versions.map(({ itemId }) => itemId), versions.map(({ version }) => version)];
  const OF_VERSIONS = `d.item_id = v.item_id AND d.version = v.version AND d.kind <> 'references'`;
  await transaction.query(
    `DELETE FROM item_relations d USING unnest($1::uuid[], $2::integer[]) AS v(item_id, version)
     WHERE ${OF_VERSIONS} AND d.known_from >= now()`,
    named,
  );
  const said = toRows(versions);
  await transaction.query(
    `UPDATE item_relations d SET known_until = CASE WHEN EXISTS (
         SELECT 1 FROM unnest($3::uuid[], $4::integer[], $5::text[], $6::text[]) AS n(item_id, version, kind, target)
         WHERE n.item_id = d.item_id AND n.version = d.version AND n.kind = d.kind AND n.target = d.target)
       THEN NULL ELSE now() END
     FROM unnest($1::uuid[], $2::integer[]) AS v(item_id, version)
     WHERE ${OF_VERSIONS} AND (d.known_until IS NULL OR d.known_until > now())`,
    [
      ...named,
      said.map(({ itemId }) => itemId),
      said.map(({ version }) => version),
      said.map(({ kind }) => kind),
      said.map(({ target }) => target),
    ],
  );
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
  const rows = toRows(versions);
  if (rows.length === 0) return;
  await transaction.query(
    `INSERT INTO item_relations (tenant_id, item_id, version, kind, target)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::text[])
     ON CONFLICT (item_id, version, kind, target) WHERE known_until IS NULL DO NOTHING`,
    [
      rows.map(({ tenantId }) => tenantId),
      rows.map(({ itemId }) => itemId),
      rows.map(({ version }) => version),
      rows.map(({ kind }) => kind),
      rows.map(({ target }) => target),
    ],
  );
}

function toRows(versions: readonly (DeclaringVersion & { relations: readonly DeclaredRelation[] })[]) {
  return versions.flatMap(({ tenantId, itemId, version, relations }) =>
    relations.map(({ kind, target }) => ({ tenantId, itemId, version, kind, target })),
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
