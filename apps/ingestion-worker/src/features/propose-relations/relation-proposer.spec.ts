import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listProposals, serviceViewer } from '@candor/persistence';
import {
  buildDocument,
  createTestDatabase,
  TestTenant,
  testServerUrl,
  type TestDatabase,
} from '@candor/persistence/testing';
import { identifyProposal } from '@candor/reasoning';
import { createLogger } from '@candor/runtime';
import { RelationProposer } from './relation-proposer.js';

const server = testServerUrl(process.env);

(server === null ? describe.skip : describe)('the relation proposer', () => {
  let postgres: TestDatabase;
  let tenant: TestTenant;
  let proposer: RelationProposer;
  beforeAll(async () => {
    postgres = await createTestDatabase(server ?? '');
  });
  afterAll(() => postgres.drop());
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
    proposer = new RelationProposer(postgres.database, createLogger('worker', { level: 'silent' }), 15_000, {
      quietSeconds: 0,
      longestSeconds: 0,
    });
  });
  const query = (sql: string, parameters: unknown[] = []) =>
    postgres.database.read((manager) => manager.query(sql, parameters));
  const put = async (externalId: string, body: string, fields: { supersedes?: string[] } = {}) => {
    const item = await tenant.add(buildDocument({ externalId, title: externalId, body, ...fields }));
    await postgres.database.read((manager) =>
      manager.query(`UPDATE chunks SET level = 'paragraph' WHERE item_id = $1`, [item.itemId]),
    );
    return item;
  };
  const list = async () =>
    (await postgres.database.read((manager) => listProposals(manager, serviceViewer(tenant.id), { limit: 20 }))).rows;
  const LEFT = 'The public API rate limit is 100 requests per minute.';
  const RIGHT = 'The public API rate limit is 120 requests per minute.';

  it('proposes what disagrees, once, with the words of both sides', async () => {
    const left = await put('left', LEFT);
    const right = await put('right', RIGHT);
    await put('apart', 'The canteen opens at noon.');
    expect(await proposer.scanAll()).toEqual({ stored: 1, failed: [] });
    expect(await proposer.scanAll()).toEqual({ stored: 0, failed: [] });
    const [proposal, ...others] = await list();
    expect(others).toEqual([]);
    expect(proposal).toMatchObject({ kind: 'conflicting_value', state: 'pending', generationId: tenant.generationId });
    const sides = proposal?.claims.map(({ itemId, version, quotation }) => [itemId, version, quotation]).sort();
    expect(sides).toEqual(
      [
        [left.itemId, 1, LEFT],
        [right.itemId, 1, RIGHT],
      ].sort(),
    );
  });

  it('proposes nothing that a declared relation decides already', async () => {
    await put('left', LEFT);
    await put('right', RIGHT, { supersedes: ['left'] });
    expect(await proposer.scanAll()).toEqual({ stored: 0, failed: [] });
    expect(await list()).toEqual([]);
  });

  it('proposes a finding under the id that a request gives it, and none again that was rejected', async () => {
    const left = await put('left', LEFT);
    const right = await put('right', RIGHT);
    await proposer.scanAll();
    const id = identifyProposal(tenant.id, 'conflicting_value', [
      { documentId: right.itemId, quotation: RIGHT },
      { documentId: left.itemId, quotation: LEFT },
    ]);
    expect((await list()).map((proposal) => proposal.id)).toEqual([id]);
    await query(`UPDATE relation_proposals SET state = 'rejected', reviewed_at = now() WHERE id = $1`, [id]);
    // Another generation over the same words finds the same.
    await query('DELETE FROM proposal_scans');
    expect(await proposer.scanAll()).toEqual({ stored: 0, failed: [] });
    expect(await list()).toMatchObject([{ id, state: 'rejected' }]);
  });

  it('comes to all that disagree, however many are there or were reviewed', async () => {
    for (let limit = 100; limit < 124; limit += 1)
      await put(`limit-${limit}`, `The public API rate limit is ${limit} requests per minute.`);
    expect(await proposer.scanAll()).toEqual({ stored: 200, failed: [] });
    await query(`UPDATE relation_proposals SET state = 'rejected', reviewed_at = now()
      WHERE id IN (SELECT id FROM relation_proposals ORDER BY id LIMIT 100)`);
    await query('DELETE FROM proposal_scans');
    // 24 limits are 276 pairs.
    expect(await proposer.scanAll()).toEqual({ stored: 76, failed: [] });
  });

  it('goes on with others when it fails for one, and tries that one again', async () => {
    await put('left', LEFT);
    await put('right', RIGHT);
    const broken = tenant;
    await query(
      `CREATE OR REPLACE FUNCTION refuse_scan() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF NEW.tenant_id = '${broken.id}' THEN RAISE 'planted'; END IF; RETURN NEW; END $$`,
    );
    await query(
      'CREATE TRIGGER refuse_scan BEFORE INSERT ON proposal_scans FOR EACH ROW EXECUTE FUNCTION refuse_scan()',
    );
    tenant = await TestTenant.create(postgres.database);
    await put('left', LEFT);
    await put('right', RIGHT);
    expect(await proposer.scanAll()).toEqual({ stored: 1, failed: [broken.id] });
    expect(await list()).toHaveLength(1);
    await query('DROP TRIGGER refuse_scan ON proposal_scans');
    expect(await proposer.scanAll()).toEqual({ stored: 1, failed: [] });
  });
});
