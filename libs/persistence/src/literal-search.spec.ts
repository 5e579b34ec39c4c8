import { expect, it } from '@jest/globals';
import { findLiteralDocuments } from './literal-search.js';
import { TestTenant } from './testing.js';
import { describeOnPostgres } from './testing/describe-on-postgres.js';
import { serviceViewer } from './visibility.js';

const never = new AbortController().signal;

describeOnPostgres('literal search over what changes meanwhile', (postgres) => {
  it('finds the only document that matches when it is changed between two pages', async () => {
    const tenant = await TestTenant.create(postgres.database);
    await postgres.query(
      `WITH items AS (INSERT INTO source_items (id, tenant_id, provider, external_id, source_kind, title, access_mode, live_version, updated_at)
         SELECT gen_random_uuid(), $1, 'slack', 'many-' || n, 'message', 't' || n, 'unknown', 1, now() - n * interval '1 second'
         FROM generate_series(1, 10500) n RETURNING id, external_id)
       INSERT INTO item_versions (item_id, version, tenant_id, request_id, state, title, mime_type, text, content_hash)
       SELECT id, 1, $1, gen_random_uuid(), 'indexed', 't', 'text/plain',
         CASE WHEN external_id = 'many-10400' THEN 'one kingfisher' ELSE 'a heron' END, 'hash' FROM items`,
      [tenant.id],
    );
    let statements = 0;
    const query = async <Row>(sql: string, parameters: unknown[]): Promise<Row[]> => {
      const rows: Row[] = await postgres.query(sql, parameters);
      // Titles first, then the first page of what is looked through.
      if ((statements += 1) === 2)
        await postgres.query(
          `UPDATE source_items SET updated_at = now() WHERE tenant_id = $1 AND external_id = 'many-10400'`,
          [tenant.id],
        );
      return rows;
    };
    const found = await findLiteralDocuments(query, serviceViewer(tenant.id), {
      text: 'kingfisher',
      tags: [],
      limit: 3,
      signal: never,
    });
    expect(found).toMatchObject([{ field: 'body', window: 'one kingfisher' }]);
  });
});
