import { expect, it } from '@jest/globals';
import { findLiteralDocuments } from './literal-search.js';
import { TestTenant } from './testing.js';
import { describeOnPostgres } from './testing/describe-on-postgres.js';
import { serviceViewer } from './visibility.js';

const never = new AbortController().signal;
/** More than a page. */
const ITEMS = 10_500;

describeOnPostgres('literal search over what changes meanwhile', (postgres) => {
  /** The last but a hundred holds a kingfisher; `age` is in seconds, `n` the number of the item. */
  async function fill(age: string): Promise<TestTenant> {
    const tenant = await TestTenant.create(postgres.database);
    await postgres.query(
      `WITH items AS (INSERT INTO source_items (id, tenant_id, provider, external_id, source_kind, title, access_mode, live_version, updated_at)
         SELECT gen_random_uuid(), $1, 'slack', 'many-' || n, 'message', 't' || n, 'unknown', 1, now() - ${age} * interval '1 second'
         FROM generate_series(1, ${ITEMS}) n RETURNING id, external_id)
       INSERT INTO item_versions (item_id, version, tenant_id, request_id, state, title, mime_type, text, content_hash)
       SELECT id, 1, $1, gen_random_uuid(), 'indexed', 't', 'text/plain',
         CASE WHEN external_id = 'many-${ITEMS - 100}' THEN 'one kingfisher' ELSE 'a heron' END, 'hash' FROM items`,
      [tenant.id],
    );
    return tenant;
  }

  /** What is found, how often, and how many texts were looked at for it. */
  async function search(tenant: TestTenant, afterFirstPage: () => Promise<unknown> = async () => undefined) {
    let statements = 0;
    let looked = 0;
    const query = async <Row>(sql: string, parameters: unknown[]): Promise<Row[]> => {
      const rows: Row[] = await postgres.query(sql, parameters);
      // Titles first, then the first page of what is looked through, then texts.
      if ((statements += 1) === 2) await afterFirstPage();
      const [, , , , ids] = parameters;
      if (Array.isArray(ids)) looked += ids.length;
      return rows;
    };
    const text = 'kingfisher';
    const found = await findLiteralDocuments(query, serviceViewer(tenant.id), {
      text,
      tags: [],
      limit: 3,
      signal: never,
    });
    return { found, looked };
  }

  it('finds the only document that matches when it is changed between two pages', async () => {
    const tenant = await fill('n');
    const { found } = await search(tenant, () =>
      postgres.query(`UPDATE source_items SET updated_at = now() WHERE tenant_id = $1 AND external_id = $2`, [
        tenant.id,
        `many-${ITEMS - 100}`,
      ]),
    );
    expect(found).toMatchObject([{ field: 'body', window: 'one kingfisher' }]);
  });

  it('looks at each text once right after an import', async () => {
    const { found, looked } = await search(await fill('0'));
    expect(found).toMatchObject([{ field: 'body', window: 'one kingfisher' }]);
    expect(looked).toBe(ITEMS);
  });
});
