import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A version that came as a file keeps its bytes: it can be read again, by a better reader, without being sent again. */
export class ItemFiles1764200000000 implements MigrationInterface {
  name = 'ItemFiles1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Files that were taken in would be lost.');
  }
}

const STATEMENTS = [
  `CREATE TABLE item_files (
    item_id uuid NOT NULL,
    version integer NOT NULL,
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    media_type text NOT NULL,
    byte_size integer NOT NULL,
    sha256 text NOT NULL,
    bytes bytea NOT NULL,
    title_is_default boolean NOT NULL DEFAULT false,
    warnings text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (item_id, version),
    FOREIGN KEY (item_id, version) REFERENCES item_versions (item_id, version)
  )`,
  // Compressed already, most of them.
  `ALTER TABLE item_files ALTER COLUMN bytes SET STORAGE EXTERNAL`,
  // Whoever purges an item purges its files: no path may leave content behind.
  `CREATE FUNCTION purge_item_files() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     DELETE FROM item_files WHERE item_id = NEW.id;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER source_items_purge_files AFTER UPDATE OF purged_at ON source_items
   FOR EACH ROW WHEN (NEW.purged_at IS NOT NULL) EXECUTE FUNCTION purge_item_files()`,
];
