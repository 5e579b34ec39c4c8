import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Connected sources, their sync runs, and what an item needs to be known again by the next run. */
export class SourceConnectors1764100000000 implements MigrationInterface {
  name = 'SourceConnectors1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('The sources that were connected would be lost.');
  }
}

const STATEMENTS = [
  `CREATE TABLE source_connectors (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    provider text NOT NULL,
    name text NOT NULL,
    settings jsonb NOT NULL,
    credentials bytea,
    credentials_key_id text,
    credential_fields text[] NOT NULL DEFAULT '{}',
    sync_every_minutes integer,
    reconcile_every_minutes integer,
    state text NOT NULL DEFAULT 'active',
    cursor jsonb,
    wants_full boolean NOT NULL DEFAULT false,
    wanted_mode text,
    last_check jsonb,
    last_success_at timestamptz(3),
    last_reconciled_at timestamptz(3),
    last_error_type text,
    last_error_message text,
    last_error_at timestamptz(3),
    next_run_at timestamptz(3),
    next_reconcile_at timestamptz(3),
    removal_request_id uuid,
    removal_api_key_id uuid,
    removal_total integer,
    removal_slice integer NOT NULL DEFAULT 0,
    removal_after uuid,
    removal_lease timestamptz(3),
    removed_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX source_connectors_by_tenant ON source_connectors (tenant_id, created_at, id)`,
  `CREATE INDEX source_connectors_deleting ON source_connectors (removal_lease) WHERE state = 'deleting'`,

  `CREATE TABLE sync_runs (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    source_id uuid NOT NULL REFERENCES source_connectors (id),
    mode text NOT NULL,
    trigger text NOT NULL,
    api_key_id uuid,
    state text NOT NULL DEFAULT 'queued',
    phase text NOT NULL,
    slice integer NOT NULL DEFAULT 0,
    lease_id uuid,
    lease_until timestamptz(3),
    retries integer NOT NULL DEFAULT 0,
    waiting_until timestamptz(3),
    waiting_error_type text,
    waiting_error_message text,
    cancel_requested boolean NOT NULL DEFAULT false,
    cursor_before jsonb,
    cursor_after jsonb,
    compare_from timestamptz(3),
    listed integer NOT NULL DEFAULT 0,
    accepted integer NOT NULL DEFAULT 0,
    unchanged integer NOT NULL DEFAULT 0,
    metadata integer NOT NULL DEFAULT 0,
    deleted integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    withheld integer NOT NULL DEFAULT 0,
    suppressed integer NOT NULL DEFAULT 0,
    error_type text,
    error_message text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    started_at timestamptz(3),
    ended_at timestamptz(3)
  )`,
  `CREATE UNIQUE INDEX sync_runs_one_active ON sync_runs (source_id) WHERE state IN ('queued', 'running')`,
  `CREATE INDEX sync_runs_by_tenant ON sync_runs (tenant_id, created_at, id)`,
  `CREATE INDEX sync_runs_by_source ON sync_runs (source_id, created_at, id)`,
  `CREATE INDEX sync_runs_leased ON sync_runs (lease_until) WHERE state IN ('queued', 'running')`,
  `CREATE TABLE sync_run_failures (
    run_id uuid NOT NULL REFERENCES sync_runs (id),
    ordinal integer NOT NULL,
    external_id text NOT NULL,
    title text,
    error_type text NOT NULL,
    error_message text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, ordinal)
  )`,

  // Items that events told of, until a run has read them.
  `CREATE TABLE source_rereads (
    source_id uuid NOT NULL REFERENCES source_connectors (id),
    external_id text NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (source_id, external_id)
  )`,

  `ALTER TABLE source_items ADD COLUMN content_revision text, ADD COLUMN listed_at timestamptz(3),
    ADD COLUMN is_unread boolean NOT NULL DEFAULT false,
    ADD COLUMN deleted_by text CHECK (deleted_by IN ('caller', 'source'))`,
  `CREATE INDEX source_items_tombstones ON source_items (connector_id, external_id)
    WHERE connector_id IS NOT NULL AND deleted_at IS NOT NULL`,
  `CREATE INDEX source_items_by_connector ON source_items (connector_id, id)
    WHERE connector_id IS NOT NULL AND purged_at IS NULL`,
  // The sweeper asks whether a source still has a job waiting.
  `CREATE INDEX outbox_by_source ON outbox ((payload->>'sourceId')) WHERE payload ? 'sourceId'`,
];
