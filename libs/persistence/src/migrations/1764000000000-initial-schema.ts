import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Truth is here; the search index is a projection that can be rebuilt, the queue only wakes workers.
 * Times have milliseconds, as they have in the API: what a caller was told compares equal to what is stored.
 */
export class InitialSchema1764000000000 implements MigrationInterface {
  name = 'InitialSchema1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('The initial schema has nothing before it.');
  }
}

const STATEMENTS = [
  `CREATE TABLE tenants (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    is_default boolean NOT NULL DEFAULT false,
    audit_query_text boolean NOT NULL DEFAULT true,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  )`,
  `CREATE UNIQUE INDEX tenants_one_default ON tenants (is_default) WHERE is_default`,

  `CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    name text NOT NULL,
    actor_type text NOT NULL,
    allowed_actions text[] NOT NULL,
    allowed_providers text[],
    principals text[],
    rate_limit_per_minute integer,
    is_installation_key boolean NOT NULL DEFAULT false,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX api_keys_by_tenant ON api_keys (tenant_id, created_at, id)`,
  `CREATE UNIQUE INDEX api_keys_one_installation_key ON api_keys (is_installation_key) WHERE is_installation_key`,
  `CREATE TABLE api_key_secrets (
    public_id text PRIMARY KEY,
    api_key_id uuid NOT NULL REFERENCES api_keys (id),
    secret_sha256 bytea NOT NULL,
    expires_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX api_key_secrets_by_key ON api_key_secrets (api_key_id)`,

  `CREATE TABLE source_items (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    provider text NOT NULL,
    connector_id uuid,
    external_id text NOT NULL,
    source_kind text NOT NULL,
    title text NOT NULL,
    url text,
    author_name text,
    source_created_at timestamptz(3),
    source_updated_at timestamptz(3),
    synced_at timestamptz(3),
    valid_from timestamptz(3),
    valid_until timestamptz(3),
    supersedes text[] NOT NULL DEFAULT '{}',
    tags text[] NOT NULL DEFAULT '{}',
    access_policy jsonb,
    access_mode text NOT NULL,
    principals text[] NOT NULL DEFAULT '{}',
    metadata jsonb NOT NULL DEFAULT '{}',
    metadata_hash text NOT NULL DEFAULT '',
    latest_version integer NOT NULL DEFAULT 0,
    live_version integer,
    revision integer NOT NULL DEFAULT 0,
    deleted_at timestamptz(3),
    purged_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  )`,
  // A deleted item keeps its id for ever; the same thing pushed again is a new item.
  `CREATE UNIQUE INDEX source_items_identity ON source_items
    (tenant_id, provider, coalesce(connector_id, '00000000-0000-0000-0000-000000000000'), external_id)
    WHERE deleted_at IS NULL`,
  `CREATE INDEX source_items_by_tenant ON source_items (tenant_id, provider) WHERE deleted_at IS NULL`,
  `CREATE INDEX source_items_superseding ON source_items USING gin (supersedes) WHERE supersedes <> '{}'`,
  `CREATE INDEX source_items_unpurged ON source_items (deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL`,

  `CREATE TABLE item_versions (
    item_id uuid NOT NULL REFERENCES source_items (id),
    version integer NOT NULL,
    tenant_id uuid NOT NULL,
    request_id uuid NOT NULL,
    state text NOT NULL,
    state_at timestamptz(3) NOT NULL DEFAULT now(),
    error_type text,
    error_message text,
    title text NOT NULL,
    mime_type text NOT NULL,
    body text,
    text text,
    blocks jsonb,
    content_hash text NOT NULL,
    recorded_at timestamptz(3) NOT NULL DEFAULT now(),
    superseded_at timestamptz(3),
    epoch integer NOT NULL DEFAULT 0,
    lease_until timestamptz(3),
    PRIMARY KEY (item_id, version)
  )`,
  `CREATE INDEX item_versions_unfinished ON item_versions (lease_until)
    WHERE state IN ('accepted', 'extracting', 'indexing')`,

  `CREATE TABLE chunks (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    item_id uuid NOT NULL,
    version integer NOT NULL,
    ordinal integer NOT NULL,
    level text NOT NULL,
    parent_id uuid,
    previous_id uuid,
    next_id uuid,
    start_index integer NOT NULL,
    end_index integer NOT NULL,
    section_path text[] NOT NULL,
    heading_text text,
    FOREIGN KEY (item_id, version) REFERENCES item_versions (item_id, version)
  )`,
  `CREATE INDEX chunks_by_version ON chunks (item_id, version, ordinal)`,

  // A caller may choose its request ids, so they are only unique within a tenant.
  `CREATE TABLE ingestions (
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    request_id uuid NOT NULL,
    api_key_id uuid,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, request_id)
  )`,
  `CREATE TABLE ingestion_items (
    tenant_id uuid NOT NULL,
    request_id uuid NOT NULL,
    ordinal integer NOT NULL,
    item_id uuid NOT NULL REFERENCES source_items (id),
    version integer NOT NULL,
    state text NOT NULL,
    state_at timestamptz(3) NOT NULL DEFAULT now(),
    error_type text,
    error_message text,
    PRIMARY KEY (tenant_id, request_id, ordinal),
    FOREIGN KEY (tenant_id, request_id) REFERENCES ingestions (tenant_id, request_id)
  )`,
  `CREATE INDEX ingestion_items_by_version ON ingestion_items (item_id, version)`,
  `CREATE INDEX ingestion_items_waiting ON ingestion_items (state_at) WHERE state = 'accepted'`,

  `CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY,
    tenant_id uuid NOT NULL,
    job_name text NOT NULL,
    payload jsonb NOT NULL,
    claimed_until timestamptz(3),
    last_error text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
  )`,
  // Hash, not btree: with a second order to choose from, the planner looks for a small tenant's rows in everybody's backlog.
  `CREATE INDEX outbox_by_id ON outbox USING hash (id)`,
  // The sweeper asks whether an item still has a job waiting.
  `CREATE INDEX outbox_by_item ON outbox ((payload->>'itemId'))`,

  `CREATE TABLE dead_letters (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    request_id uuid NOT NULL,
    job_name text NOT NULL,
    item_id uuid,
    version integer,
    payload jsonb NOT NULL,
    error_type text NOT NULL,
    error_message text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    retried_at timestamptz(3)
  )`,
  `CREATE INDEX dead_letters_by_tenant ON dead_letters (tenant_id, created_at, id)`,

  `CREATE TABLE collections (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    name text NOT NULL,
    description text,
    color text,
    icon text,
    tags text[] NOT NULL DEFAULT '{}',
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX collections_by_tenant ON collections (tenant_id, created_at, id)`,
  `CREATE TABLE collection_items (
    collection_id uuid NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    item_id uuid NOT NULL,
    item_type text NOT NULL,
    tenant_id uuid NOT NULL,
    added_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (collection_id, item_type, item_id)
  )`,
  `CREATE INDEX collection_items_by_page ON collection_items (collection_id, added_at, item_id)`,
  `CREATE INDEX collection_items_by_item ON collection_items (item_id)`,

  `CREATE TABLE generations (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    name text NOT NULL,
    status text NOT NULL,
    pipeline_fingerprint text NOT NULL,
    corpus_sum numeric NOT NULL DEFAULT 0,
    item_count integer NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  )`,
  `CREATE UNIQUE INDEX generations_one_live ON generations (tenant_id) WHERE status = 'live'`,

  `CREATE TABLE idempotency_records (
    api_key_id uuid NOT NULL,
    key text NOT NULL,
    request_digest text NOT NULL,
    response_status integer,
    response_body jsonb,
    locked_until timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (api_key_id, key)
  )`,
  `CREATE INDEX idempotency_records_by_age ON idempotency_records (created_at)`,

  `CREATE TABLE audit_events (
    sequence bigint GENERATED ALWAYS AS IDENTITY,
    id uuid NOT NULL UNIQUE,
    tenant_id uuid NOT NULL,
    request_id uuid NOT NULL,
    action text NOT NULL,
    outcome text NOT NULL,
    actor_api_key_id uuid,
    actor_type text NOT NULL,
    target_type text,
    target_id text,
    metadata jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, sequence)
  )`,
  `CREATE INDEX audit_events_by_request ON audit_events (request_id)`,
  // For the sweepers: who asked for a delete, and which queued requests began.
  `CREATE INDEX audit_events_item_deletes ON audit_events (target_id, sequence) WHERE action = 'item.delete'`,
  `CREATE INDEX audit_events_reason_requested ON audit_events (created_at) WHERE action = 'reason.requested'`,
  // Events are facts: no statement of ours changes or removes one.
  `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'audit events cannot be changed'; END $$`,
  `CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE ON audit_events
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`,
  `CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,

  `CREATE TABLE passage_sessions (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    shown_chunk_ids uuid[] NOT NULL DEFAULT '{}',
    created_at timestamptz(3) NOT NULL DEFAULT now()
  )`,
];
