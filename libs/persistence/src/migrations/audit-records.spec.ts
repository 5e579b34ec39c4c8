import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { insertAuditEvents } from '../repositories/audit-event.repository.js';
import { listErasureEvents } from '../repositories/audit-seal.repository.js';
import { eraseAuditTexts } from '../repositories/erasure.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { AuditRecords1764990000100 } from './1764990000100-audit-records.js';

describeOnPostgres('records of what was erased before there were any', (postgres) => {
  it('name exactly those events, a thousand each', async () => {
    const [tenantId, other] = [randomUUID(), randomUUID()];
    const write = (tenant: string, count: number): Promise<void> =>
      postgres.database.transaction((transaction) =>
        insertAuditEvents(
          transaction,
          Array.from({ length: count }, () => ({
            tenantId: tenant,
            requestId: randomUUID(),
            action: 'search.query',
            outcome: 'succeeded',
            actorApiKeyId: null,
            actorType: 'agent',
            targetType: null,
            targetId: null,
            metadata: { query: 'who?' },
          })),
        ),
      );
    const owner = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
    const runner = owner.createQueryRunner();
    try {
      const migration = new AuditRecords1764990000100();
      await migration.down(runner);
      await write(tenantId, 1_001);
      await write(other, 3);
      await postgres.database.transaction((transaction) => eraseAuditTexts(transaction, { tenantId }, 2_000));
      await write(tenantId, 1);
      await migration.up(runner);

      const erased: { id: string }[] = await runner.query(
        `SELECT id FROM audit_events WHERE tenant_id = $1 AND erasable_digest IS NOT NULL AND erasable IS NULL`,
        [tenantId],
      );
      const records = await postgres.database.read((manager) => listErasureEvents(manager, tenantId));
      expect(records.map(({ metadata }) => metadata['events'])).toEqual([1_000, 1]);
      expect(records.flatMap(({ metadata }) => metadata['eventIds']).sort()).toEqual(erased.map(({ id }) => id).sort());
      expect(records[0]).toMatchObject({ action: 'audit.erase', metadata: { cause: 'upgrade', before: null } });
      expect(await postgres.database.read((manager) => listErasureEvents(manager, other))).toEqual([]);
    } finally {
      await runner.release();
      await owner.destroy();
    }
  });
});
