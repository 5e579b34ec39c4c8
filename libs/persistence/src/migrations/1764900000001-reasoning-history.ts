import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What held at a time also where only metadata changed since: relations and the source's own dates in time. And findings
 * are known by what they find, so that a person's word outlives the generation it was said about.
 */
export class ReasoningHistory1764900000001 implements MigrationInterface {
  name = 'ReasoningHistory1764900000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE relation_proposals ADD COLUMN digest text');
    await runner.query('UPDATE relation_proposals SET digest = id::text');
    await runner.query('ALTER TABLE relation_proposals ALTER COLUMN digest SET NOT NULL');
    await runner.query('ALTER TABLE relation_proposals ADD UNIQUE (tenant_id, digest)');
    await runner.query('DROP TRIGGER source_items_keep_dates ON source_items');
    await runner.query('DROP FUNCTION keep_source_dates');
    await runner.query('DROP TABLE item_past_dates');
    await runner.query('DELETE FROM item_relations WHERE known_until IS NOT NULL');
    await runner.query('DROP INDEX item_relations_open, item_relations_by_message');
    await runner.query('ALTER TABLE item_relations DROP CONSTRAINT item_relations_pkey');
    await runner.query('ALTER TABLE item_relations ADD PRIMARY KEY (item_id, version, kind, target)');
    await runner.query('ALTER TABLE item_relations DROP COLUMN known_from, DROP COLUMN known_until');
  }
}

const STATEMENTS = [
  // Known since it was stored, as far as it can be told; from now on to the millisecond.
  `ALTER TABLE item_relations ADD COLUMN known_from timestamptz(3) NOT NULL DEFAULT '-infinity',
    ADD COLUMN known_until timestamptz(3)`,
  `ALTER TABLE item_relations ALTER COLUMN known_from SET DEFAULT now()`,
  `ALTER TABLE item_relations DROP CONSTRAINT item_relations_pkey`,
  `ALTER TABLE item_relations ADD PRIMARY KEY (item_id, version, kind, target, known_from)`,
  `CREATE UNIQUE INDEX item_relations_open ON item_relations (item_id, version, kind, target)
    WHERE known_until IS NULL`,
  // A mail names the one that it answers by its Message-ID.
  `CREATE INDEX item_relations_by_message ON item_relations (tenant_id, target) WHERE kind = 'message_id'`,

  // Only what is no longer so: a time after the last row is that of the item itself.
  `CREATE TABLE item_past_dates (
    item_id uuid NOT NULL REFERENCES source_items (id) ON DELETE CASCADE,
    tenant_id uuid NOT NULL,
    source_date timestamptz(3),
    known_until timestamptz(3) NOT NULL,
    PRIMARY KEY (item_id, known_until)
  )`,
  `CREATE FUNCTION keep_source_dates() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.deleted_at IS NOT NULL THEN
        DELETE FROM item_past_dates WHERE item_id = NEW.id;
      ELSE
        INSERT INTO item_past_dates (item_id, tenant_id, source_date, known_until)
          VALUES (OLD.id, OLD.tenant_id, coalesce(OLD.source_updated_at, OLD.source_created_at), now())
          ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END $$`,
  // An item is made before its first version: what it held until then was never said.
  `CREATE TRIGGER source_items_keep_dates
    AFTER UPDATE OF source_updated_at, source_created_at, deleted_at ON source_items FOR EACH ROW
    WHEN (OLD.latest_version > 0 AND (NEW.deleted_at IS DISTINCT FROM OLD.deleted_at
      OR coalesce(OLD.source_updated_at, OLD.source_created_at)
        IS DISTINCT FROM coalesce(NEW.source_updated_at, NEW.source_created_at)))
    EXECUTE FUNCTION keep_source_dates()`,

  // As the engine's \`identifyProposal\` has it. Of the same finding in several generations the one that was reviewed stays.
  `CREATE TEMP TABLE renamed_proposals ON COMMIT DROP AS
    SELECT id AS old_id, overlay(overlay(hex PLACING '8' FROM 13) PLACING '8' FROM 17)::uuid AS new_id,
      row_number() OVER (PARTITION BY hex ORDER BY state = 'pending', created_at, id) AS place
    FROM (SELECT p.id, p.state, p.created_at, left(encode(sha256(convert_to(
        p.tenant_id || E'\\n' || p.kind || E'\\n' || (SELECT string_agg(side, E'\\n' ORDER BY side COLLATE "C")
          FROM (SELECT (c->>'itemId') || ':' || encode(sha256(convert_to(c->>'quotation', 'UTF8')), 'hex') AS side
            FROM jsonb_array_elements(p.claims) AS c) sides), 'UTF8')), 'hex'), 32) AS hex
      FROM relation_proposals p) named`,
  `DELETE FROM reviewed_relations r USING renamed_proposals n WHERE n.old_id = r.proposal_id AND n.place > 1`,
  `DELETE FROM relation_proposals p USING renamed_proposals n WHERE n.old_id = p.id AND n.place > 1`,
  `UPDATE reviewed_relations r SET proposal_id = n.new_id FROM renamed_proposals n WHERE n.old_id = r.proposal_id`,
  `UPDATE relation_proposals p SET id = n.new_id FROM renamed_proposals n WHERE n.old_id = p.id`,
  `ALTER TABLE relation_proposals DROP COLUMN digest`,
];
