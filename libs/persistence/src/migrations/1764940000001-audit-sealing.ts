import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What seals the audit trail: batches of events in the order in which they commit, each signed and chained to the one
 * before it. What may be erased later stands apart from the rest of an event; the chain commits to its salted digest.
 */
export class AuditSealing1764940000001 implements MigrationInterface {
  name = 'AuditSealing1764940000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('The chain that proves the audit trail would be lost.');
  }
}

const STATEMENTS = [
  // Of earlier events it stays empty: their transactions have ended.
  `ALTER TABLE audit_events
    ADD COLUMN transaction_id xid8,
    ADD COLUMN erasable jsonb,
    ADD COLUMN erasable_salt bytea,
    ADD COLUMN erasable_digest bytea`,
  `ALTER TABLE audit_events ALTER COLUMN transaction_id SET DEFAULT pg_current_xact_id()`,
  `CREATE INDEX audit_events_by_transaction ON audit_events (transaction_id)`,

  // As \`splitErasable\` in TypeScript: SHA-256 of the salt and the canonical JSON.
  `ALTER TABLE audit_events DISABLE TRIGGER audit_events_append_only`,
  `UPDATE audit_events e SET
      metadata = e.metadata - p.keys, erasable = p.fields, erasable_salt = p.salt,
      erasable_digest = sha256(p.salt || convert_to(p.canonical, 'UTF8'))
    FROM (
      SELECT a.tenant_id, a.sequence, array_agg(m.key) AS keys, jsonb_object_agg(m.key, m.value) AS fields,
        '{' || string_agg(to_json(m.key)::text || ':' || to_json(m.value #>> '{}')::text, ',' ORDER BY m.key COLLATE "C") || '}'
          AS canonical,
        uuid_send(gen_random_uuid()) AS salt
      FROM audit_events a CROSS JOIN LATERAL jsonb_each(a.metadata) m
      WHERE m.key IN ('query', 'querySha256', 'externalId') AND jsonb_typeof(m.value) = 'string'
      GROUP BY a.tenant_id, a.sequence
    ) p
    WHERE e.tenant_id = p.tenant_id AND e.sequence = p.sequence`,
  `ALTER TABLE audit_events ENABLE TRIGGER audit_events_append_only`,

  `CREATE TABLE audit_batches (
    tenant_id uuid NOT NULL,
    batch integer NOT NULL,
    previous_digest text NOT NULL,
    events integer NOT NULL,
    leaves_digest text NOT NULL,
    sealed_at timestamptz(3) NOT NULL,
    key_id text NOT NULL,
    digest text NOT NULL,
    signature text NOT NULL,
    expired_at timestamptz(3),
    PRIMARY KEY (tenant_id, batch)
  )`,
  // One row an event: only with its own digest can a single event be named as altered or missing.
  `CREATE TABLE audit_leaves (
    event_id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    batch integer NOT NULL,
    position integer NOT NULL,
    digest bytea NOT NULL,
    FOREIGN KEY (tenant_id, batch) REFERENCES audit_batches (tenant_id, batch)
  )`,
  `CREATE UNIQUE INDEX audit_leaves_by_batch ON audit_leaves (tenant_id, batch, position)`,
  // The end of each chain. Whoever seals holds its row, so two workers never continue the same head.
  `CREATE TABLE audit_chains (
    tenant_id uuid PRIMARY KEY,
    batches integer NOT NULL DEFAULT 0,
    sealed_events bigint NOT NULL DEFAULT 0,
    head_digest text NOT NULL DEFAULT repeat('0', 64)
  )`,
  // Below the horizon every event is sealed. Transaction ids are a server's own: after a restore it starts again.
  `CREATE TABLE audit_sealing (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    horizon xid8,
    server_id text NOT NULL
  )`,
  `CREATE TABLE audit_signing_keys (
    key_id text PRIMARY KEY,
    public_key text NOT NULL,
    first_used_at timestamptz(3) NOT NULL DEFAULT now()
  )`,

  // An event may lose what is erasable, and may go with its whole batch once that is marked as expired; nothing else.
  `CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' AND NEW.erasable IS NULL AND NEW.erasable_salt IS NULL
        AND (to_jsonb(NEW) - '{erasable,erasable_salt}'::text[]) = (to_jsonb(OLD) - '{erasable,erasable_salt}'::text[])
        THEN RETURN NEW;
      END IF;
      IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM audit_leaves l
          JOIN audit_batches b ON b.tenant_id = l.tenant_id AND b.batch = l.batch
          WHERE l.event_id = OLD.id AND l.tenant_id = OLD.tenant_id AND b.expired_at IS NOT NULL)
        THEN RETURN OLD;
      END IF;
      RAISE EXCEPTION 'audit events cannot be changed';
    END $$`,
  `CREATE FUNCTION refuse_leaf_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM audit_batches b
          WHERE b.tenant_id = OLD.tenant_id AND b.batch = OLD.batch AND b.expired_at IS NOT NULL)
        THEN RETURN OLD;
      END IF;
      RAISE EXCEPTION 'sealed batches cannot be changed';
    END $$`,
  `CREATE FUNCTION refuse_batch_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' AND OLD.expired_at IS NULL AND NEW.expired_at IS NOT NULL
        AND (to_jsonb(NEW) - 'expired_at') = (to_jsonb(OLD) - 'expired_at')
        THEN RETURN NEW;
      END IF;
      RAISE EXCEPTION 'sealed batches cannot be changed';
    END $$`,
  // Only the worker, which looks across tenants, seals.
  `DO $$
    DECLARE app text := current_setting('candor.role_prefix') || '_app';
    BEGIN
      EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON audit_batches, audit_leaves, audit_chains, audit_sealing,
        audit_signing_keys FROM %I', app);
    END $$`,
  `CREATE TRIGGER audit_leaves_append_only BEFORE UPDATE OR DELETE ON audit_leaves
    FOR EACH ROW EXECUTE FUNCTION refuse_leaf_change()`,
  `CREATE TRIGGER audit_leaves_no_truncate BEFORE TRUNCATE ON audit_leaves
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_leaf_change()`,
  `CREATE TRIGGER audit_batches_append_only BEFORE UPDATE OR DELETE ON audit_batches
    FOR EACH ROW EXECUTE FUNCTION refuse_batch_change()`,
  `CREATE TRIGGER audit_batches_no_truncate BEFORE TRUNCATE ON audit_batches
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_batch_change()`,
];
