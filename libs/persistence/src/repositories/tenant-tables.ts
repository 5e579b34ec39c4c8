import type { Transaction } from '../database.js';

/** What stays of an erased tenant, with the reason. Everything else that has a tenant goes, new tables too. */
const KEPT = [
  'tenants', // a row without its name: the audit trail refers to it
  'erasures', // what was erased, when and on whose word
  'audit_events', // facts without the texts, until their retention ends
  'audit_batches', // the chain that proves them
  'audit_leaves',
  'audit_chains',
];
/** A row's parent where no foreign key says it. */
const LINKS = [{ name: 'idempotency_records', column: 'api_key_id', parent: 'api_keys' }];

/** Whose rows they are: by a tenant of their own, or by that of a parent. */
export interface TenantTable {
  name: string;
  column: string;
  parent: string | null;
}

/** All tables with a tenant's rows, those that refer to others first: in this order they can be emptied. */
export async function listTenantTables(transaction: Transaction): Promise<TenantTable[]> {
  const owned: { name: string }[] = await transaction.query(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT a.attisdropped
     ORDER BY c.relname`,
  );
  const references: { name: string; column: string; parent: string }[] = await transaction.query(
    `SELECT child.relname AS name, a.attname AS column, parent.relname AS parent FROM pg_constraint k
     JOIN pg_class child ON child.oid = k.conrelid JOIN pg_class parent ON parent.oid = k.confrelid
     JOIN pg_attribute a ON a.attrelid = child.oid AND a.attnum = k.conkey[1]
     WHERE k.contype = 'f' AND child.relnamespace = current_schema()::regnamespace ORDER BY child.relname, k.conname`,
  );
  const own = new Set(owned.map(({ name }) => name));
  const tables = new Map<string, TenantTable>(
    owned.map(({ name }) => [name, { name, column: 'tenant_id', parent: null }]),
  );
  for (const link of [...references, ...LINKS])
    if (!own.has(link.name) && own.has(link.parent) && !tables.has(link.name)) tables.set(link.name, link);
  for (const name of KEPT) tables.delete(name);
  return sortChildrenFirst([...tables.values()], [...references, ...LINKS]);
}

/** At most so many rows; how many went. */
export async function deleteTenantRows(
  transaction: Transaction,
  table: TenantTable,
  tenantId: string,
  limit: number,
): Promise<number> {
  const [, deleted]: [unknown, number] = await transaction.query(
    `DELETE FROM ${table.name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table.name} WHERE ${belongs(table)} LIMIT $2))`,
    [tenantId, limit],
  );
  return deleted;
}

export async function countTenantRows(
  transaction: Transaction,
  tables: readonly TenantTable[],
  tenantId: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row]: { rows: number }[] = await transaction.query(
      `SELECT count(*)::integer AS rows FROM ${table.name} WHERE ${belongs(table)}`,
      [tenantId],
    );
    if (row && row.rows > 0) counts[table.name] = row.rows;
  }
  return counts;
}

/** The names are the catalogue's own. */
function belongs({ column, parent }: TenantTable): string {
  return parent === null ? `${column} = $1` : `${column} IN (SELECT id FROM ${parent} WHERE tenant_id = $1)`;
}

function sortChildrenFirst(
  tables: readonly TenantTable[],
  references: readonly { name: string; parent: string }[],
): TenantTable[] {
  const sorted: TenantTable[] = [];
  const waiting = new Map(tables.map((table) => [table.name, table]));
  while (waiting.size > 0) {
    const free = [...waiting.values()].find(
      ({ name }) =>
        !references.some(({ name: child, parent }) => parent === name && child !== name && waiting.has(child)),
    );
    if (!free) throw new Error(`tables that refer to each other: ${[...waiting.keys()].join(', ')}`);
    sorted.push(free);
    waiting.delete(free.name);
  }
  return sorted;
}
