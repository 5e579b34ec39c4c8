import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a tenant may have, and what it has. Uses are a ledger and not a counter: writers of one tenant would wait for each
 * other on a counter's row, or hold it in each other's way. Housekeeping adds the entries up. Kept by triggers: several writers
 * store items, and none may forget.
 */
export class Quotas1764930000001 implements MigrationInterface {
  name = 'Quotas1764930000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER source_items_count_added ON source_items');
    await runner.query('DROP TRIGGER source_items_count_removed ON source_items');
    await runner.query('DROP TRIGGER source_items_count_hidden ON source_items');
    for (const table of ['item_versions', 'item_files']) {
      await runner.query(`DROP TRIGGER ${table}_count_added ON ${table}`);
      await runner.query(`DROP TRIGGER ${table}_count_removed ON ${table}`);
    }
    await runner.query('DROP TRIGGER item_versions_count_purged ON item_versions');
    await runner.query('DROP FUNCTION note_items, note_item_hidden, note_bytes, note_body_purged');
    await runner.query('DROP TABLE tenant_usage');
    await runner.query('ALTER TABLE tenants DROP COLUMN quotas');
  }
}

/** Rows that a statement added or removed; `TG_ARGV[0]` is the sign, `TG_ARGV[1]` the measure. */
const onRows = (table: string, event: 'INSERT' | 'DELETE', call: string): string =>
  `CREATE TRIGGER ${table}_count_${event === 'INSERT' ? 'added' : 'removed'} AFTER ${event} ON ${table}
    REFERENCING ${event === 'INSERT' ? 'NEW' : 'OLD'} TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION ${call}`;

const STATEMENTS = [
  `ALTER TABLE tenants ADD COLUMN quotas jsonb NOT NULL DEFAULT '{}'`,
  `CREATE TABLE tenant_usage (
    tenant_id uuid NOT NULL,
    items bigint NOT NULL DEFAULT 0,
    storage_bytes bigint NOT NULL DEFAULT 0
  )`,
  `CREATE INDEX tenant_usage_by_tenant ON tenant_usage (tenant_id) INCLUDE (items, storage_bytes)`,

  `CREATE FUNCTION note_items() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO tenant_usage (tenant_id, items)
        SELECT r.tenant_id, TG_ARGV[0]::bigint * count(*) FROM rows r WHERE r.deleted_at IS NULL GROUP BY r.tenant_id;
      RETURN NULL;
    END $$`,
  `CREATE FUNCTION note_item_hidden() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO tenant_usage (tenant_id, items)
        VALUES (NEW.tenant_id, CASE WHEN NEW.deleted_at IS NULL THEN 1 ELSE -1 END);
      RETURN NULL;
    END $$`,
  `CREATE FUNCTION note_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_TABLE_NAME = 'item_files' THEN
        INSERT INTO tenant_usage (tenant_id, storage_bytes)
          SELECT r.tenant_id, TG_ARGV[0]::bigint * sum(r.byte_size) FROM rows r GROUP BY r.tenant_id;
      ELSE
        INSERT INTO tenant_usage (tenant_id, storage_bytes)
          SELECT r.tenant_id, TG_ARGV[0]::bigint * sum(octet_length(r.body)) FROM rows r
          WHERE r.body IS NOT NULL GROUP BY r.tenant_id;
      END IF;
      RETURN NULL;
    END $$`,
  `CREATE FUNCTION note_body_purged() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO tenant_usage (tenant_id, storage_bytes)
        VALUES (NEW.tenant_id, coalesce(octet_length(NEW.body), 0) - coalesce(octet_length(OLD.body), 0));
      RETURN NULL;
    END $$`,
  onRows('source_items', 'INSERT', `note_items('1')`),
  onRows('source_items', 'DELETE', `note_items('-1')`),
  `CREATE TRIGGER source_items_count_hidden AFTER UPDATE OF deleted_at ON source_items FOR EACH ROW
    WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)) EXECUTE FUNCTION note_item_hidden()`,
  onRows('item_versions', 'INSERT', `note_bytes('1')`),
  onRows('item_versions', 'DELETE', `note_bytes('-1')`),
  `CREATE TRIGGER item_versions_count_purged AFTER UPDATE OF body ON item_versions FOR EACH ROW
    WHEN (OLD.body IS DISTINCT FROM NEW.body) EXECUTE FUNCTION note_body_purged()`,
  onRows('item_files', 'INSERT', `note_bytes('1')`),
  onRows('item_files', 'DELETE', `note_bytes('-1')`),

  // What was there before anybody counted.
  `INSERT INTO tenant_usage (tenant_id, items)
    SELECT tenant_id, count(*) FROM source_items WHERE deleted_at IS NULL GROUP BY tenant_id`,
  `INSERT INTO tenant_usage (tenant_id, storage_bytes)
    SELECT tenant_id, sum(octet_length(body)) FROM item_versions WHERE body IS NOT NULL GROUP BY tenant_id`,
  `INSERT INTO tenant_usage (tenant_id, storage_bytes)
    SELECT tenant_id, sum(byte_size) FROM item_files GROUP BY tenant_id`,
];
