import { expect, it } from '@jest/globals';
import type { Transaction } from '../database.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { TestTenant } from '../testing/test-tenant.js';
import { findTenant, lockTenant, updateTenant } from './tenant.repository.js';

describeOnPostgres('tenants', (postgres) => {
  it('that are locked are read as the change before left them', async () => {
    const { id } = await TestTenant.create(postgres.database);
    const keep = async (transaction: Transaction, kind: string): Promise<void> => {
      const { retention } = await lockTenant(transaction, id);
      await updateTenant(transaction, id, { retention: { ...retention, [kind]: 10 } });
    };
    let second: Promise<void> | undefined;
    await postgres.database.transaction(async (transaction) => {
      await keep(transaction, 'feedback');
      second = new Promise((resolve, reject) => {
        postgres.database.transaction((other) => keep(other, 'syncRuns')).then(resolve, reject);
      });
      // The other one stands and waits.
      for (let waiting = 0; waiting === 0;)
        waiting = (
          await postgres.query(`SELECT 1 FROM pg_locks l JOIN pg_database d ON d.datname = current_database()
            JOIN pg_stat_activity a ON a.pid = l.pid AND a.datid = d.oid WHERE NOT l.granted`)
        ).length;
    });
    await second;
    const tenant = await postgres.database.read((manager) => findTenant(manager, id));
    expect(tenant?.retention).toEqual({ feedback: 10, syncRuns: 10 });
  });
});
