import { expect, it } from '@jest/globals';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { TestTenant, buildDocument } from '../testing/test-tenant.js';
import { countTenantRows, deleteTenantRows, listTenantTables } from './tenant-tables.js';

/** Of no tenant, or what stays of one; each with its reason in `tenant-tables.ts`. */
const KEPT = ['audit_batches', 'audit_chains', 'audit_events', 'audit_leaves', 'erasures', 'tenants'];
const OF_NOBODY = ['audit_sealing', 'audit_signing_keys', 'configured_recipes', 'migrations'];

describeOnPostgres('the tables of a tenant', (postgres) => {
  it('are all that there are, but for those that are kept on purpose', async () => {
    const found = await postgres.database.read((manager) => listTenantTables(manager));
    const all = await postgres.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`,
    );
    const rest = all.map(({ name }) => name).filter((name) => !found.some((table) => table.name === name));
    expect(rest.sort()).toEqual([...KEPT, ...OF_NOBODY].sort());
  });

  it('can be emptied in their order, slice by slice, and leave other tenants alone', async () => {
    const [tenant, other] = [await TestTenant.create(postgres.database), await TestTenant.create(postgres.database)];
    for (const owner of [tenant, other]) {
      await owner.add(buildDocument());
      await owner.add(buildDocument());
      await owner.addKey();
    }
    const tables = await postgres.database.read((manager) => listTenantTables(manager));
    const before = await postgres.database.read((manager) => countTenantRows(manager, tables, other.id));
    expect(before).toMatchObject({ source_items: 2, item_versions: 2, api_key_secrets: 1 });
    for (const table of tables)
      for (let deleted = 1; deleted === 1;)
        deleted = await postgres.database.transaction((transaction) =>
          deleteTenantRows(transaction, table, tenant.id, 1),
        );
    expect(await postgres.database.read((manager) => countTenantRows(manager, tables, tenant.id))).toEqual({});
    expect(await postgres.database.read((manager) => countTenantRows(manager, tables, other.id))).toEqual(before);
  }, 60_000);
});
