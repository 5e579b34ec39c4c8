import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The server itself keeps tenants apart (docs/adr/0020). Statements run as one of two roles; a row of a protected table
 * is there for `<prefix>_app` where its tenant is among `candor.tenants`, which a transaction sets, and always for
 * `<prefix>_system`. New tables: a column `tenant_id` is enough, others need a call of `candor_protect_through`.
 */
export class RowLevelSecurity1764930000000 implements MigrationInterface {
  name = 'RowLevelSecurity1764930000000';

  async up(runner: QueryRunner): Promise<void> {
    const [names] = (await runner.query(
      `SELECT quote_ident(current_schema()) AS schema,
         current_setting('candor.role_prefix') || '_app' AS app,
         current_setting('candor.role_prefix') || '_system' AS system`,
    )) as { schema: string; app: string; system: string }[];
    if (!names) throw new Error('no schema');
    for (const statement of statementsFor(names)) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('The tenants would no longer be kept apart by the server.');
  }
}

const WHAT_ROLES_MAY = 'SELECT, INSERT, UPDATE, DELETE';

function statementsFor({ schema, app, system }: { schema: string; app: string; system: string }): string[] {
  const both = `${app}, ${system}`;
  // A definer's function has to name where it looks, or a caller's own tables would be taken for ours.
  const definer = `SECURITY DEFINER SET search_path = ${schema}, pg_temp`;
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO ${both}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ${WHAT_ROLES_MAY} ON TABLES TO ${both}`,
    `GRANT ${WHAT_ROLES_MAY} ON ALL TABLES IN SCHEMA ${schema} TO ${both}`,
    `REVOKE ALL ON migrations FROM ${both}`,
    // Of no tenant, so no policy keeps anybody from changing it.
    `REVOKE INSERT, UPDATE, DELETE ON configured_recipes FROM ${app}`,

    `CREATE FUNCTION candor_tenants() RETURNS uuid[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
      SELECT coalesce(nullif(current_setting('candor.tenants', true), ''), '{}')::uuid[] $$`,

    // The subselects are evaluated once a statement, and a call in their place once a row.
    `CREATE FUNCTION candor_protect(target regclass, tenant_column name DEFAULT 'tenant_id') RETURNS void
      LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', target);
        EXECUTE format('CREATE POLICY tenant_rows ON %s USING (%I = ANY ((SELECT candor_tenants())::uuid[]))',
          target, tenant_column);
        EXECUTE format('CREATE POLICY system_rows ON %s TO ${system} USING (true)', target);
      END $$`,
    // A row without a tenant of its own belongs to whom its parent belongs to.
    `CREATE FUNCTION candor_protect_through(target regclass, reference name, parent regclass) RETURNS void
      LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', target);
        EXECUTE format('CREATE POLICY tenant_rows ON %1$s USING (EXISTS (SELECT FROM %3$s parent WHERE parent.id = %1$s.%2$I))',
          target, reference, parent);
        EXECUTE format('CREATE POLICY system_rows ON %s TO ${system} USING (true)', target);
      END $$`,
    // Foreign keys look past the policies: without this, a reference to another tenant's row would be told from one to none.
    `CREATE FUNCTION candor_require_parent(target regclass, reference name, parent regclass) RETURNS void
      LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('CREATE POLICY parent_is_seen ON %1$s AS RESTRICTIVE USING (true)
            WITH CHECK (EXISTS (SELECT FROM %3$s parent WHERE parent.id = %1$s.%2$I))',
          target, reference, parent);
      END $$`,
    // Run after each migration, so that no table can be forgotten.
    `CREATE FUNCTION candor_protect_tenant_tables() RETURNS void LANGUAGE plpgsql AS $$
      DECLARE target regclass;
      BEGIN
        FOR target IN
          SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
          WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT a.attisdropped
            AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'tenant_rows')
        LOOP PERFORM candor_protect(target); END LOOP;
      END $$`,

    `SELECT candor_protect_tenant_tables()`,
    `SELECT candor_protect('tenants', 'id')`,
    `SELECT candor_protect_through('api_key_secrets', 'api_key_id', 'api_keys')`,
    `SELECT candor_protect_through('idempotency_records', 'api_key_id', 'api_keys')`,
    `SELECT candor_protect_through('source_rereads', 'source_id', 'source_connectors')`,
    `SELECT candor_protect_through('sync_run_failures', 'run_id', 'sync_runs')`,
    `SELECT candor_protect_through('generation_items', 'generation_id', 'generations')`,
    `SELECT candor_require_parent('collection_items', 'collection_id', 'collections')`,
    `SELECT candor_require_parent('prompt_versions', 'prompt_id', 'prompts')`,
    `SELECT candor_require_parent('sync_runs', 'source_id', 'source_connectors')`,
    `SELECT candor_require_parent('item_version_notes', 'item_id', 'source_items')`,
    `REVOKE UPDATE, DELETE ON audit_events FROM ${app}`,

    // Conditions whose operators may leak what they compare are judged after the policy, so that no index serves them:
    // what is found by one is found here, for whoever may see it.
    `CREATE FUNCTION candor_sees(tenant uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
      SELECT tenant = ANY ((SELECT candor_tenants())::uuid[]) OR current_setting('role') <> '${app}' $$`,
    `CREATE FUNCTION candor_superseding_items(item_ids uuid[]) RETURNS TABLE (item_id uuid, by_id uuid)
      LANGUAGE plpgsql STABLE ROWS 10 ${definer} AS $$
      #variable_conflict use_column
      BEGIN
        RETURN QUERY SELECT i.id, s.id FROM unnest(item_ids) AS asked(id)
          CROSS JOIN LATERAL (SELECT * FROM source_items p WHERE p.id = asked.id OFFSET 0) i
          CROSS JOIN LATERAL (SELECT * FROM source_items p
            WHERE p.supersedes @> ARRAY[i.external_id] AND p.supersedes <> '{}' OFFSET 0) s
          WHERE s.tenant_id = i.tenant_id AND s.id <> i.id AND candor_sees(i.tenant_id);
      END $$`,
    `CREATE FUNCTION candor_superseding_items_at(item_ids uuid[], at timestamptz) RETURNS TABLE (item_id uuid, by_id uuid)
      LANGUAGE plpgsql STABLE ROWS 10 ${definer} AS $$
      #variable_conflict use_column
      BEGIN
        RETURN QUERY SELECT i.id, d.item_id FROM unnest(item_ids) AS asked(id)
          CROSS JOIN LATERAL (SELECT * FROM source_items p WHERE p.id = asked.id OFFSET 0) i
          CROSS JOIN LATERAL (SELECT * FROM item_declarations p
            WHERE p.supersedes @> ARRAY[i.external_id] AND p.supersedes <> '{}' OFFSET 0) d
          WHERE d.tenant_id = i.tenant_id AND d.item_id <> i.id AND d.known_from <= at
            AND (d.known_until IS NULL OR d.known_until > at) AND candor_sees(i.tenant_id);
      END $$`,
    `CREATE FUNCTION candor_tagged_items(tenant uuid, wanted text[]) RETURNS SETOF uuid
      LANGUAGE plpgsql STABLE ${definer} AS $$
      BEGIN
        RETURN QUERY SELECT i.id FROM source_items i WHERE i.tenant_id = tenant AND i.tags @> wanted AND i.tags <> '{}'
          AND i.deleted_at IS NULL AND candor_sees(tenant);
      END $$`,
    `CREATE FUNCTION candor_linked_items(tenant uuid, link text) RETURNS SETOF uuid
      LANGUAGE plpgsql STABLE ROWS 2 ${definer} AS $$
      BEGIN
        RETURN QUERY SELECT i.id FROM source_items i WHERE i.url IS NOT NULL
          AND rtrim(split_part(i.url, '#', 1), '/') = link AND i.tenant_id = tenant AND candor_sees(tenant);
      END $$`,
    ...[
      'candor_superseding_items(uuid[])',
      'candor_superseding_items_at(uuid[], timestamptz)',
      'candor_tagged_items(uuid, text[])',
      'candor_linked_items(uuid, text)',
    ].flatMap((name) => [
      `REVOKE EXECUTE ON FUNCTION ${name} FROM PUBLIC`,
      `GRANT EXECUTE ON FUNCTION ${name} TO ${both}`,
    ]),
  ];
}
