import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What an item declared about itself at each time: how long it is valid, and which items it replaces. Without it, an edit
 * of today would decide what had been replaced last month. Kept by triggers: several writers change items, and none may forget.
 */
export class DeclarationHistory1764600000000 implements MigrationInterface {
  name = 'DeclarationHistory1764600000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER source_items_declare ON source_items');
    await runner.query('DROP TRIGGER source_items_redeclare ON source_items');
    await runner.query('DROP FUNCTION keep_declarations');
    await runner.query('DROP TABLE item_declarations');
    await runner.query('DROP INDEX source_items_unread');
  }
}

const STATEMENTS = [
  // A time without a row is one in which the item declared nothing.
  `CREATE TABLE item_declarations (
    item_id uuid NOT NULL REFERENCES source_items (id) ON DELETE CASCADE,
    tenant_id uuid NOT NULL,
    valid_from timestamptz(3),
    valid_until timestamptz(3),
    supersedes text[] NOT NULL,
    known_from timestamptz(3) NOT NULL,
    known_until timestamptz(3),
    PRIMARY KEY (item_id, known_from)
  )`,
  `CREATE INDEX item_declarations_superseding ON item_declarations USING gin (supersedes) WHERE supersedes <> '{}'`,

  // A transaction that began earlier may come later: what it takes back was never true, so times never overlap.
  `CREATE FUNCTION keep_declarations() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE known timestamptz(3) := now();
    BEGIN
      IF NEW.deleted_at IS NOT NULL THEN
        DELETE FROM item_declarations WHERE item_id = NEW.id;
        RETURN NULL;
      END IF;
      DELETE FROM item_declarations WHERE item_id = NEW.id AND known_from >= known;
      UPDATE item_declarations SET known_until = known
        WHERE item_id = NEW.id AND (known_until IS NULL OR known_until > known);
      IF NEW.supersedes <> '{}' OR NEW.valid_from IS NOT NULL OR NEW.valid_until IS NOT NULL THEN
        INSERT INTO item_declarations (item_id, tenant_id, valid_from, valid_until, supersedes, known_from)
          VALUES (NEW.id, NEW.tenant_id, NEW.valid_from, NEW.valid_until, NEW.supersedes, known);
      END IF;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER source_items_declare AFTER INSERT ON source_items FOR EACH ROW
    WHEN (NEW.supersedes <> '{}' OR NEW.valid_from IS NOT NULL OR NEW.valid_until IS NOT NULL)
    EXECUTE FUNCTION keep_declarations()`,
  `CREATE TRIGGER source_items_redeclare
    AFTER UPDATE OF supersedes, valid_from, valid_until, deleted_at ON source_items FOR EACH ROW
    WHEN (OLD.supersedes IS DISTINCT FROM NEW.supersedes OR OLD.valid_from IS DISTINCT FROM NEW.valid_from
      OR OLD.valid_until IS DISTINCT FROM NEW.valid_until OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
    EXECUTE FUNCTION keep_declarations()`,

  // Contract 1.1 says how many items could not be read.
  `CREATE INDEX source_items_unread ON source_items (tenant_id) WHERE is_unread`,

  // As far as it is known: what they declare now, since they were there.
  `INSERT INTO item_declarations (item_id, tenant_id, valid_from, valid_until, supersedes, known_from)
    SELECT id, tenant_id, valid_from, valid_until, supersedes, created_at FROM source_items
    WHERE deleted_at IS NULL AND (supersedes <> '{}' OR valid_from IS NOT NULL OR valid_until IS NOT NULL)`,
];
