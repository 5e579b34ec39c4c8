import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a tenant allows and how long it keeps what; and the erasure of one, or of a person within it. */
export class TenantCompliance1764940000002 implements MigrationInterface {
  name = 'TenantCompliance1764940000002';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('What tenants consented to, and what was erased, would be forgotten.');
  }
}

const STATEMENTS = [
  `ALTER TABLE tenants
    -- null = not said: then only the installation's own tenant consents, by its operator's configuration.
    ADD COLUMN external_models boolean,
    -- Days by kind of record; a kind that is absent is kept.
    ADD COLUMN retention jsonb NOT NULL DEFAULT '{}',
    -- From here on nothing of it answers; the row stays for its audit trail.
    ADD COLUMN erased_at timestamptz(3)`,

  `CREATE TABLE erasures (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    kind text NOT NULL CHECK (kind IN ('tenant', 'person')),
    -- Of a person: the keys and names that stand for it; emptied at the end.
    subject jsonb,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done')),
    step text NOT NULL,
    slice integer NOT NULL DEFAULT 0,
    counts jsonb NOT NULL DEFAULT '{}',
    lease_until timestamptz(3),
    request_id uuid NOT NULL,
    requested_by uuid,
    requested_in uuid NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3)
  )`,
  `CREATE INDEX erasures_by_tenant ON erasures (tenant_id, created_at, id)`,
  `CREATE INDEX erasures_running ON erasures (lease_until) WHERE state = 'running'`,
  `CREATE UNIQUE INDEX erasures_one_of_a_tenant ON erasures (tenant_id) WHERE kind = 'tenant'`,
  // Erasure and retention of one person's questions walk their keys' events.
  `CREATE INDEX audit_events_erasable ON audit_events (tenant_id, sequence) WHERE erasable IS NOT NULL`,
];
