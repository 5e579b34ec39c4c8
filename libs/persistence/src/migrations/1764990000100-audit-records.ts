import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A broken chain is noted with its tenant; what was erased until now gets the record that every erasure leaves from here on. */
export class AuditRecords1764990000100 implements MigrationInterface {
  name = 'AuditRecords1764990000100';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    // The records of erasures stay, as all events.
    await runner.query('ALTER TABLE audit_chains DROP COLUMN broken_since');
  }
}

const EVENTS_A_RECORD = 1_000;

const STATEMENTS = [
  // Null = it is continued.
  'ALTER TABLE audit_chains ADD COLUMN broken_since timestamptz(3)',
  // By their ids alone: nothing else that is still there may be taken away under this record.
  `INSERT INTO audit_events (id, tenant_id, request_id, action, outcome, actor_type, target_type, target_id, metadata)
    SELECT gen_random_uuid(), r.tenant_id, gen_random_uuid(), 'audit.erase', 'succeeded', 'service', 'tenant', r.tenant_id::text,
      jsonb_build_object('cause', 'upgrade', 'apiKeyIds', NULL, 'before', NULL, 'eventIds', r.ids, 'events', r.events)
    FROM (
      SELECT n.tenant_id, jsonb_agg(n.id) AS ids, count(*) AS events
      FROM (SELECT e.tenant_id, e.id, (row_number() OVER (PARTITION BY e.tenant_id ORDER BY e.sequence) - 1) / ${EVENTS_A_RECORD} AS part
        FROM audit_events e WHERE e.erasable_digest IS NOT NULL AND e.erasable IS NULL) n
      GROUP BY n.tenant_id, n.part
    ) r`,
];
