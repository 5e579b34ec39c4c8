import { beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import type { IngestDocument } from '@candor/contracts';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { buildDocument, TestTenant } from '../testing.js';
import { serviceViewer, type Visibility } from '../visibility.js';
import {
  dropOutdatedProposals,
  finishScan,
  listProposals,
  listScannedPassages,
  lockProposal,
  reviewProposal,
  saveProposals,
  takeScanTask,
} from './proposal.repository.js';

describeOnPostgres('proposals', (postgres) => {
  let tenant: TestTenant;
  let finding: string;
  beforeEach(async () => {
    finding = randomUuid();
    await postgres.query('DELETE FROM proposal_scans');
    await postgres.query(`UPDATE generations SET status = 'retired'`);
    tenant = await TestTenant.create(postgres.database);
  });
  const { query } = postgres;
  const run = <Result>(work: Parameters<typeof postgres.database.transaction<Result>>[0]) =>
    postgres.database.transaction(work);
  const put = (fields: Partial<IngestDocument> = {}) =>
    tenant.add(buildDocument({ accessPolicy: { provider: 'slack', mode: 'provider_scope' }, ...fields }));

  async function propose(left: Awaited<ReturnType<typeof put>>, right: Awaited<ReturnType<typeof put>>, id = finding) {
    const claimOf = ({ chunkId, itemId, version }: typeof left) => ({ chunkId, itemId, version, quotation: 'words' });
    return run((transaction) =>
      saveProposals(transaction, tenant.id, [
        {
          id,
          generationId: tenant.generationId,
          kind: 'conflicting_value',
          subject: 'rate limit',
          explanation: 'x',
          confidence: 0.8,
          claims: [claimOf(left), claimOf(right)],
        },
      ]),
    );
  }
  const list = async (viewer: Partial<Visibility> = {}) =>
    (await run((transaction) => listProposals(transaction, { ...serviceViewer(tenant.id), ...viewer }, { limit: 20 })))
      .rows;

  it('are stored once, and shown to those who may see both sides', async () => {
    const left = await put({ title: 'Left', sourceUpdatedAt: '2026-01-01T00:00:00Z' });
    const right = await put({
      title: 'Right',
      accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:a@x.org'] },
    });
    expect(await propose(left, right)).toBe(1);
    expect(await propose(left, right)).toBe(0);
    expect(await list()).toMatchObject([
      {
        state: 'pending',
        titles: ['Left', 'Right'],
        dates: [new Date('2026-01-01T00:00:00Z'), null],
        claims: [{ itemId: left.itemId }, { itemId: right.itemId }],
      },
    ]);
    expect(await list({ principals: ['user:a@x.org'] })).toHaveLength(1);
    expect(await list({ principals: ['user:b@x.org'] })).toEqual([]);
    expect(await list({ tenantId: randomUuid() })).toEqual([]);
    await tenant.tombstone(right.itemId);
    expect(await list()).toEqual([]);
    await tenant.purge(right);
    expect(await query('SELECT 1 FROM relation_proposals WHERE tenant_id = $1', [tenant.id])).toEqual([]);
  });

  it('become a relation with its reviewer once approved, and stay reviewed', async () => {
    const left = await put();
    const right = await put();
    await propose(left, right);
    const [proposal] = await list();
    if (!proposal) throw new Error('nothing was proposed');
    const apiKeyId = randomUuid();
    await run(async (transaction) => {
      const locked = await lockProposal(transaction, serviceViewer(tenant.id), proposal.id);
      expect(locked).toMatchObject({ id: finding, current: true });
      const review = { state: 'approved', relation: 'conflicts_with', apiKeyId, note: 'seen' } as const;
      await reviewProposal(transaction, tenant.id, proposal, review);
    });
    expect((await list())[0]).toMatchObject({ state: 'approved', reviewedBy: apiKeyId, note: 'seen' });
    const columns = 'kind, from_item_id, to_item_id, proposal_id, reviewer_api_key_id';
    expect(await query(`SELECT ${columns} FROM reviewed_relations WHERE tenant_id = $1`, [tenant.id])).toEqual([
      {
        kind: 'conflicts_with',
        from_item_id: left.itemId,
        to_item_id: right.itemId,
        proposal_id: proposal.id,
        reviewer_api_key_id: apiKeyId,
      },
    ]);
    expect(await propose(left, right)).toBe(0);
    const stranger = serviceViewer(randomUuid());
    expect(await run((transaction) => lockProposal(transaction, stranger, proposal.id))).toBeNull();
  });

  it('lock their documents in the order in which indexing does', async () => {
    const [low, high] = [await put(), await put()].sort((one, other) => (one.itemId < other.itemId ? -1 : 1));
    if (!low || !high) throw new Error('no items');
    // The first side is the one whose turn comes last.
    await propose(high, low);
    let reviewed: Promise<unknown> | undefined;
    await run(async (indexing) => {
      await indexing.query('SELECT 1 FROM source_items WHERE id = $1 FOR UPDATE', [low.itemId]);
      const [self]: { pid: number }[] = await indexing.query('SELECT pg_backend_pid() AS pid');
      reviewed = run((transaction) => lockProposal(transaction, serviceViewer(tenant.id), finding));
      const isWaited = async (): Promise<boolean> =>
        (await query('SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))', [self?.pid])).length > 0;
      while (!(await isWaited())) await new Promise((resolve) => setTimeout(resolve, 10));
      // Refused at once where the review has it, which waits for this one.
      await indexing.query('SELECT 1 FROM source_items WHERE id = $1 FOR UPDATE NOWAIT', [high.itemId]);
    });
    expect(await reviewed).toMatchObject({ id: finding });
  });

  it('hold up nobody when the one who asks may not see them', async () => {
    const left = await put();
    const right = await put({ accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:a@x.org'] } });
    await propose(left, right);
    const lockedFor = (principal: string): Promise<unknown> =>
      run(async (transaction) => {
        await lockProposal(transaction, { ...serviceViewer(tenant.id), principals: [principal] }, finding);
        // Refused at once for what the other transaction has.
        return query('SELECT id FROM source_items WHERE tenant_id = $1 ORDER BY id FOR UPDATE NOWAIT', [tenant.id]);
      });
    await expect(lockedFor('user:a@x.org')).rejects.toMatchObject({ cause: { code: '55P03' } });
    expect(await lockedFor('user:b@x.org')).toHaveLength(2);
  });

  it('go when what they rest on has a new version', async () => {
    const document = buildDocument({ externalId: 'a', accessPolicy: { provider: 'slack', mode: 'provider_scope' } });
    const left = await tenant.add(document);
    await propose(left, await put());
    await run((transaction) => dropOutdatedProposals(transaction, tenant.id));
    expect(await list()).toHaveLength(1);
    await tenant.add({ ...document, body: 'Another text.' });
    const locked = await run((transaction) => lockProposal(transaction, serviceViewer(tenant.id), finding));
    expect(locked).toMatchObject({ id: finding, current: false });
    await run((transaction) => dropOutdatedProposals(transaction, tenant.id));
    expect(await list()).toEqual([]);
  });

  it('are looked for where the corpus changed and nothing is under way', async () => {
    const take = (except: string[] = []) => run((transaction) => takeScanTask(transaction, except));
    const first = await put({ body: 'The limit is 20 MiB.' });
    expect(await take()).toBeNull();
    await put();
    const task = await take();
    expect(task).toMatchObject({ tenantId: tenant.id, generationId: tenant.generationId });
    expect(await take([tenant.id])).toBeNull();
    if (!task) throw new Error('nothing to do');
    const passages = await run((transaction) =>
      listScannedPassages(transaction, task, { mostItems: 10, mostBytes: 1_000 }),
    );
    // Chunks that are whole documents are left out: others stand within them.
    expect(passages).toEqual([]);
    await query(`UPDATE chunks SET level = 'paragraph' WHERE id = $1`, [first.chunkId]);
    const bounds = { mostItems: 10, mostBytes: 1_000 };
    expect(await run((transaction) => listScannedPassages(transaction, task, bounds))).toMatchObject([
      { chunkId: first.chunkId, itemId: first.itemId, text: 'The limit is 20 MiB.' },
    ]);
    expect(await run((transaction) => listScannedPassages(transaction, task, { ...bounds, mostBytes: 3 }))).toEqual([]);
    await run((transaction) => finishScan(transaction, task));
    expect(await take()).toBeNull();
    await tenant.acceptOne(buildDocument());
    expect(await take()).toBeNull();
    await put();
    await query(`UPDATE item_versions SET state = 'failed' WHERE state = 'accepted'`);
    expect(await take()).toMatchObject({ tenantId: tenant.id });
  });

  it('are looked for once a tenant is quiet, or has waited for long', async () => {
    const take = (quietSeconds: number, longestSeconds: number) =>
      run((transaction) => takeScanTask(transaction, [], { quietSeconds, longestSeconds }));
    const indexedAgo = (seconds: number) =>
      query(`UPDATE item_versions SET state_at = now() - make_interval(secs => $2) WHERE tenant_id = $1`, [
        tenant.id,
        seconds,
      ]);
    await put();
    await put();
    await indexedAgo(5);
    expect(await take(10, 600)).toBeNull();
    expect(await take(4, 600)).toMatchObject({ tenantId: tenant.id });
    await indexedAgo(11);
    const task = await take(10, 600);
    expect(task).toMatchObject({ tenantId: tenant.id });
    if (!task) throw new Error('nothing to do');
    await run((transaction) => finishScan(transaction, task));
    // One that never rests is taken all the same, some time after the last scan.
    await put();
    expect(await take(10, 600)).toBeNull();
    await query(`UPDATE proposal_scans SET scanned_at = now() - interval '601 seconds' WHERE tenant_id = $1`, [
      tenant.id,
    ]);
    expect(await take(10, 600)).toMatchObject({ tenantId: tenant.id });
  });
});
