import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listProposals, serviceViewer } from '@candor/persistence';
import {
  buildDocument,
  createTestDatabase,
  TestTenant,
  testServerUrl,
  type TestDatabase,
} from '@candor/persistence/testing';
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
    proposer = new RelationProposer(postgres.database, createLogger('worker', { level: 'silent' }));
  });
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
    expect(await proposer.scan()).toBe(1);
    expect(await proposer.scan()).toBeNull();
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
    expect(await proposer.scan()).toBe(0);
    expect(await list()).toEqual([]);
  });
});
