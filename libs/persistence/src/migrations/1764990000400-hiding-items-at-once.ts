import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a statement hides is counted once, as what it adds and removes is: a removed source's items go into the ledger as one
 * entry a statement and not as one each. No join of before and after: its plan would be made for the first statement of a session,
 * which may change one item.
 */
export class HidingItemsAtOnce1764990000400 implements MigrationInterface {
  name = 'HidingItemsAtOnce1764990000400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER source_items_count_hidden ON source_items');
    await runner.query('DROP FUNCTION note_item_hidden');
    await runner.query(`CREATE FUNCTION note_items_hidden() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO tenant_usage (tenant_id, items)
          SELECT c.tenant_id, sum(c.items) FROM (
            SELECT n.tenant_id, 1 AS items FROM rows_now n WHERE n.deleted_at IS NULL
            UNION ALL SELECT b.tenant_id, -1 FROM rows_before b WHERE b.deleted_at IS NULL) c
          GROUP BY c.tenant_id HAVING sum(c.items) <> 0;
        RETURN NULL;
      END $$`);
    // Of every update: a trigger that sees what a statement changed can't be bound to one column.
    await runner.query(`CREATE TRIGGER source_items_count_hidden AFTER UPDATE ON source_items
      REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_now
      FOR EACH STATEMENT EXECUTE FUNCTION note_items_hidden()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER source_items_count_hidden ON source_items');
    await runner.query('DROP FUNCTION note_items_hidden');
    await runner.query(`CREATE FUNCTION note_item_hidden() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO tenant_usage (tenant_id, items)
          VALUES (NEW.tenant_id, CASE WHEN NEW.deleted_at IS NULL THEN 1 ELSE -1 END);
        RETURN NULL;
      END $$`);
    await runner.query(`CREATE TRIGGER source_items_count_hidden AFTER UPDATE OF deleted_at ON source_items FOR EACH ROW
      WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)) EXECUTE FUNCTION note_item_hidden()`);
  }
}
