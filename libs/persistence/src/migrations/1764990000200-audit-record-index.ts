import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every verification reads the few events that say what was erased or has expired; without it, it reads the tenant's whole trail. */
export class AuditRecordIndex1764990000200 implements MigrationInterface {
  name = 'AuditRecordIndex1764990000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX audit_events_records ON audit_events (tenant_id, sequence) WHERE action IN ('audit.erase', 'audit.expire')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_events_records');
  }
}
