import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What replaces an item is looked up by tenant and name. By its name alone, each lookup read the items of all tenants that
 * use the same name: what one tenant declares would cost another one time, and show in it.
 */
export class SupersedingWithinATenant1764990000010 implements MigrationInterface {
  name = 'SupersedingWithinATenant1764990000010';

  async up(runner: QueryRunner): Promise<void> {
    const rows = (await runner.query(`SELECT quote_ident(current_schema()) AS schema`)) as { schema: string }[];
    const schema = rows[0]?.schema;
    if (schema === undefined) throw new Error('no schema');
    for (const statement of statements(schema)) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Only forward.');
  }
}

function statements(schema: string): string[] {
  const definer = `SECURITY DEFINER SET search_path = ${schema}, pg_temp SET enable_seqscan = off`;
  return [
    // A tenant's id has one length, so that no name can take another's place.
    `CREATE FUNCTION candor_names(tenant uuid, names text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
      SELECT coalesce(array_agg(tenant::text || ' ' || n), '{}') FROM unnest(names) AS n $$`,
    ...['source_items', 'item_declarations'].map(
      (table) => `CREATE INDEX ${table}_superseding_names ON ${table} USING gin (candor_names(tenant_id, supersedes))
        WHERE supersedes <> '{}'`,
    ),
    `CREATE OR REPLACE FUNCTION candor_superseding_items(item_ids uuid[]) RETURNS TABLE (item_id uuid, by_id uuid)
      LANGUAGE plpgsql STABLE ROWS 10 ${definer} AS $$
      #variable_conflict use_column
      DECLARE names text[];
      BEGIN
        SELECT array_agg(i.tenant_id::text || ' ' || i.external_id) INTO names FROM unnest(item_ids) AS asked(id)
          CROSS JOIN LATERAL (SELECT p.tenant_id, p.external_id FROM source_items p WHERE p.id = asked.id OFFSET 0) i
          WHERE candor_sees(i.tenant_id);
        IF names IS NULL THEN RETURN; END IF;
        RETURN QUERY SELECT i.id, s.id
          FROM (SELECT p.id, p.tenant_id, p.supersedes FROM source_items p
            WHERE candor_names(p.tenant_id, p.supersedes) && names AND p.supersedes <> '{}' OFFSET 0) s
          JOIN source_items i ON i.id = ANY (item_ids) AND i.tenant_id = s.tenant_id AND i.id <> s.id
            AND i.external_id = ANY (s.supersedes);
      END $$`,
    `CREATE OR REPLACE FUNCTION candor_superseding_items_at(item_ids uuid[], at timestamptz)
      RETURNS TABLE (item_id uuid, by_id uuid) LANGUAGE plpgsql STABLE ROWS 10 ${definer} AS $$
      #variable_conflict use_column
      BEGIN
        RETURN QUERY SELECT i.id, d.item_id FROM unnest(item_ids) AS asked(id)
          CROSS JOIN LATERAL (SELECT p.id, p.tenant_id, p.external_id FROM source_items p
            WHERE p.id = asked.id AND candor_sees(p.tenant_id) OFFSET 0) i
          CROSS JOIN LATERAL (SELECT * FROM item_declarations p
            WHERE candor_names(p.tenant_id, p.supersedes) @> ARRAY[i.tenant_id::text || ' ' || i.external_id]
              AND p.supersedes <> '{}' OFFSET 0) d
          WHERE d.item_id <> i.id AND d.known_from <= at AND (d.known_until IS NULL OR d.known_until > at);
      END $$`,
    'DROP INDEX source_items_superseding',
    'DROP INDEX item_declarations_superseding',
  ];
}
