import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Prompts with their versions, what was said about a document's versions, and what finds both and collections by
 * meaning. A vector of no more than one text an item is kept beside it: null = not embedded yet, or not since it changed.
 */
export class Library1764500000000 implements MigrationInterface {
  name = 'Library1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Prompts would be lost.');
  }
}

const STATEMENTS = [
  `CREATE TABLE prompts (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    title text NOT NULL,
    description text NOT NULL,
    tags text[] NOT NULL DEFAULT '{}',
    current_version integer NOT NULL,
    embedding bytea,
    embedding_profile text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX prompts_by_tenant ON prompts (tenant_id, created_at, id)`,
  `CREATE INDEX prompts_unembedded ON prompts (updated_at) WHERE embedding IS NULL`,
  `CREATE TABLE prompt_versions (
    id uuid PRIMARY KEY,
    prompt_id uuid NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
    tenant_id uuid NOT NULL,
    version integer NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    content text NOT NULL,
    engine text,
    parameters jsonb NOT NULL,
    variables jsonb NOT NULL,
    change_log text,
    api_key_id uuid,
    user_name text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (prompt_id, version)
  )`,
  `ALTER TABLE collections
    ADD COLUMN text_revision integer NOT NULL DEFAULT 0,
    ADD COLUMN embedding bytea,
    ADD COLUMN embedding_profile text`,
  `CREATE INDEX collections_unembedded ON collections (updated_at) WHERE embedding IS NULL`,

  // Beside the versions and not in them: few have one, and ingestion never writes any.
  `CREATE TABLE item_version_notes (
    item_id uuid NOT NULL,
    version integer NOT NULL,
    tenant_id uuid NOT NULL,
    change_log text NOT NULL,
    PRIMARY KEY (item_id, version),
    FOREIGN KEY (item_id, version) REFERENCES item_versions (item_id, version)
  )`,
  // Whoever purges an item purges what was said about it: no path may leave content behind.
  `CREATE FUNCTION purge_item_notes() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     DELETE FROM item_version_notes WHERE item_id = NEW.id;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER source_items_purge_notes AFTER UPDATE OF purged_at ON source_items
   FOR EACH ROW WHEN (NEW.purged_at IS NOT NULL) EXECUTE FUNCTION purge_item_notes()`,
  `CREATE INDEX source_items_by_tags ON source_items USING gin (tags) WHERE tags <> '{}'`,
];
