import { beforeEach, describe, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { AppError } from '@candor/contracts';
import { buildChunk, buildDocument, TEST_RECIPE as recipe, TestGenerations, TestTenant } from '../testing.js';
import {
  countChunksUpTo,
  countSteps,
  findGenerationsInStep,
  holdHeads,
  keepStep,
  loadItemsToBuild,
  loseStep,
  recordBuilt,
} from './generation-content.repository.js';
import { listGenerations, viewGeneration } from './generation-view.repository.js';
import {
  claimWork,
  continueWork,
  failWork,
  finishWork,
  resendStalledWork,
  saveProgress,
  startDueReconciliations,
} from './generation-work.repository.js';
import {
  corpusFingerprintOf,
  findConfiguredRecipe,
  KEPT_STATES,
  listGenerationsIn,
  saveConfiguredRecipe,
  WRITABLE_STATES,
} from './generation.repository.js';
import { RetrievalViews } from '../retrieval-views.js';
import { corpusTermOf } from './item-completion.repository.js';
import { findSourceItem } from './source-item.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

describeOnPostgres('generations', (postgres) => {
  let tenant: TestTenant;
  let generations: TestGenerations;
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
    generations = new TestGenerations(tenant);
  });

  describe('a build', () => {
    it('starts with a job, one at a time', async () => {
      const generation = await generations.create();
      expect(generation).toMatchObject({ number: 2, status: 'building', work: 'build', workRound: 1, recipe: null });
      expect(await generations.create()).toBeNull();
      const jobs = await generations.query('SELECT job_name, payload FROM outbox WHERE tenant_id = $1', [tenant.id]);
      expect(jobs).toEqual([
        {
          job_name: 'generation.build',
          payload: expect.objectContaining({ tenantId: tenant.id, generationId: generation?.id, round: 1 }),
        },
      ]);
      // Nothing is written to an index that is not there.
      const writable = await generations.run((t) => listGenerationsIn(t, tenant.id, WRITABLE_STATES));
      expect(writable.map((each) => each.id)).toEqual([tenant.generationId]);
    });

    it('is written to once it has a recipe, after the live one', async () => {
      const id = await generations.prepared();
      const writable = await generations.run((t) => listGenerationsIn(t, tenant.id, WRITABLE_STATES));
      expect(writable.map((each) => each.id)).toEqual([tenant.generationId, id]);
      expect(writable[1]).toMatchObject({ recipe, chunking: 'other', name: 'chunks-hashing-1-2' });
    });

    it('lets only the job of the newest round work', async () => {
      const id = await generations.prepared();
      expect(await generations.run((t) => claimWork(t, generations.jobOf(id, 1), 'build'))).toMatchObject({ id });
      expect(await generations.run((t) => claimWork(t, generations.jobOf(id, 1), 'reconcile'))).toBeNull();
      await generations.run((t) => continueWork(t, generations.jobOf(id, 1), 'build'));
      expect(await generations.run((t) => claimWork(t, generations.jobOf(id, 1), 'build'))).toBeNull();
      const late = { cursor: null, phase: 'fill', items: 1 } as const;
      expect(await generations.run((t) => saveProgress(t, generations.jobOf(id, 1), late))).toBe(false);
      expect(await generations.run((t) => finishWork(t, generations.jobOf(id, 1)))).toBe('lost');
      expect(await generations.run((t) => claimWork(t, generations.jobOf(id, 2), 'build'))).not.toBeNull();
      expect(await generations.run((t) => saveProgress(t, generations.jobOf(id, 2), late))).toBe(true);
    });

    it('is sent again when its job was lost, and not while it waits', async () => {
      const id = await generations.prepared();
      await generations.query(`UPDATE generations SET work_lease_until = now() - interval '1 second' WHERE id = $1`, [
        id,
      ]);
      expect(await generations.run((t) => resendStalledWork(t, 10))).toBe(0);
      await generations.query('DELETE FROM outbox WHERE tenant_id = $1', [tenant.id]);
      expect(await generations.run((t) => resendStalledWork(t, 10))).toBe(1);
      expect(await generations.query('SELECT payload FROM outbox WHERE tenant_id = $1', [tenant.id])).toEqual([
        { payload: expect.objectContaining({ generationId: id, round: 2 }) },
      ]);
      expect(await generations.run((t) => resendStalledWork(t, 10))).toBe(0);
    });

    it('that fails takes no more writes and makes room for another', async () => {
      const id = await generations.prepared();
      await generations.run((t) => failWork(t, id, new AppError('CONFIG.INVALID', { message: 'no such model' })));
      expect(await generations.load(id)).toMatchObject({ status: 'failed', work: null, errorType: 'CONFIG.INVALID' });
      expect(await generations.run((t) => listGenerationsIn(t, tenant.id, WRITABLE_STATES))).toHaveLength(1);
      expect(await generations.run((t) => listGenerationsIn(t, tenant.id, KEPT_STATES))).toHaveLength(2);
      expect(await generations.create()).not.toBeNull();
    });
  });

  describe('what a generation holds', () => {
    it('lacks every live item at first, and no deleted one', async () => {
      const kept = await tenant.add(buildDocument());
      const deleted = await tenant.add(buildDocument());
      await tenant.tombstone(deleted.itemId);
      await tenant.acceptOne(buildDocument());
      const id = await generations.prepared();
      expect(await generations.outOfStep(id)).toEqual([kept.itemId]);
      expect(await generations.run((t) => countSteps(t, { id, tenantId: tenant.id }))).toEqual({
        total: 1,
        done: 0,
        missing: 1,
        outdated: 0,
      });
    });

    it('gives the versions that were ever live, the oldest first', async () => {
      const document = buildDocument();
      const first = await tenant.add(document);
      await tenant.add({ ...document, body: 'The release is on Tuesday.' });
      // Accepted, not live.
      await tenant.acceptOne({ ...document, body: 'The release is on Friday.' });
      const [item] = await generations.run((t) => loadItemsToBuild(t, tenant.id, [first.itemId]));
      expect(item?.versions.map(({ version, text, supersededAt }) => [version, text, supersededAt === null])).toEqual([
        [1, 'The release is on Monday.', false],
        [2, 'The release is on Tuesday.', true],
      ]);
    });

    it('falls out of step with a new version that it did not get, and not with one that it got', async () => {
      const document = buildDocument();
      const { itemId } = await tenant.add(document);
      const id = await generations.prepared();
      await generations.fill(id);
      expect(await generations.outOfStep(id)).toEqual([]);
      const inStep = () => generations.run((t) => findGenerationsInStep(t, itemId, [id]));
      expect(await inStep()).toEqual(new Set([id]));

      await tenant.add({ ...document, body: 'second' });
      expect(await generations.outOfStep(id)).toEqual([itemId]);
      expect(await inStep()).toEqual(new Set());
      await generations.run((t) => keepStep(t, [{ generationId: id, itemId, version: 2 }]));
      expect(await generations.outOfStep(id)).toEqual([]);
      // A late report of an older version changes nothing.
      await generations.run((t) => keepStep(t, [{ generationId: id, itemId, version: 1 }]));
      expect(await generations.outOfStep(id)).toEqual([]);
      await generations.run((t) => loseStep(t, id, [itemId]));
      expect(await generations.outOfStep(id)).toEqual([itemId]);
    });

    it('keeps both generations’ chunks, and shows those of the live one', async () => {
      const { itemId, chunkId } = await tenant.add(buildDocument());
      const generation = await generations.load(await generations.prepared());
      const other = buildChunk('The release');
      await generations.run((t) =>
        recordBuilt(t, generation, [{ itemId, version: 1, chunks: [other, buildChunk('x', { id: chunkId })] }]),
      );
      const rows = await generations.query(
        'SELECT id, chunking, end_index FROM chunks WHERE item_id = $1 ORDER BY chunking',
        [itemId],
      );
      expect(rows).toEqual([
        { id: chunkId, chunking: '', end_index: 'The release is on Monday.'.length },
        { id: other.id, chunking: 'other', end_index: 11 },
      ]);
      // Of the live one, and each counted among its own.
      const found = await generations.run((t) => findSourceItem(t, tenant.id, itemId));
      expect(found?.chunkIds).toEqual([chunkId]);
      const views = new RetrievalViews(postgres.database);
      expect((await views.readChunk(tenant.id, chunkId))?.total).toBe(1);
      const count = (tenantId: string, upTo: number, counted?: number) =>
        generations.run((t) => countChunksUpTo(t, tenantId, upTo, counted));
      expect(await Promise.all([count(tenant.id, 10), count(tenant.id, 1), count(randomUuid(), 10)])).toEqual([
        2, 1, 0,
      ]);
      // Beyond what is counted: items times chunks of a sample of them, no more than asked for and no less than counted.
      await generations.query('UPDATE generations SET item_count = 40 WHERE tenant_id = $1', [tenant.id]);
      const estimates = [count(tenant.id, 1_000, 2), count(tenant.id, 50, 2), count(randomUuid(), 50, 0)];
      expect(await Promise.all(estimates)).toEqual([80, 50, 0]);
      await generations.query('UPDATE generations SET item_count = 0 WHERE tenant_id = $1', [tenant.id]);
      expect(await count(tenant.id, 1_000, 2)).toBe(2);
      expect(await views.readChunk(tenant.id, other.id)).toMatchObject({ total: 1, content: 'The release' });
    });

    it('makes a delete wait for a write that is under way', async () => {
      const { itemId } = await tenant.add(buildDocument());
      const order: string[] = [];
      let deleting: Promise<void> | undefined;
      await generations.run(async (t) => {
        expect((await holdHeads(t, tenant.id, [itemId]))[0]?.deletedAt).toBeNull();
        deleting = tenant.tombstone(itemId).then(() => void order.push('deleted'));
        await new Promise((resolve) => setTimeout(resolve, 50));
        order.push('written');
      });
      await deleting;
      expect(order).toEqual(['written', 'deleted']);
    });

    it('forgets an item that is gone for good', async () => {
      const item = await tenant.add(buildDocument());
      const id = await generations.prepared();
      await generations.fill(id);
      await tenant.tombstone(item.itemId);
      expect(await tenant.purge(item)).toBe(true);
      expect(await generations.query('SELECT 1 FROM generation_items WHERE generation_id = $1', [id])).toEqual([]);
      expect((await generations.load(tenant.generationId)).itemCount).toBe(0);
    });

    it('computes a version’s share of the corpus in SQL as in TypeScript', async () => {
      for (let index = 0; index < 20; index += 1) {
        const version = { itemId: randomUuid(), version: index, contentHash: `hash ${index} ü` };
        const [row] = await generations.query<{ term: string }>('SELECT corpus_term($1, $2, $3) AS term', [
          version.itemId,
          version.version,
          version.contentHash,
        ]);
        expect(BigInt(row?.term ?? -1)).toBe(corpusTermOf(version));
      }
    });

    it('has the corpus fingerprint of the live one exactly when it holds the same', async () => {
      const document = buildDocument();
      await tenant.add(document);
      await tenant.add(buildDocument());
      const id = await generations.prepared();
      const fingerprints = async () => {
        const [live, built] = [await generations.view(tenant.generationId), await generations.view(id)];
        return [corpusFingerprintOf(live), corpusFingerprintOf(built)];
      };
      const [live, empty] = await fingerprints();
      expect(empty).not.toBe(live);
      await generations.fill(id);
      expect(await fingerprints()).toEqual([live, live]);
      await tenant.add({ ...document, body: 'second' });
      const [after, before] = await fingerprints();
      expect(before).toBe(live);
      expect(after).not.toBe(live);
      expect(await generations.view(id)).toMatchObject({ itemsTotal: 2, itemsDone: 1 });
    });
  });

  it('are compared with the database once a day', async () => {
    expect(await generations.run((t) => startDueReconciliations(t, 100))).toBe(0);
    await generations.query(`UPDATE generations SET promoted_at = now() - interval '25 hours' WHERE id = $1`, [
      tenant.generationId,
    ]);
    expect(await generations.run((t) => startDueReconciliations(t, 100))).toBe(1);
    expect(await generations.run((t) => startDueReconciliations(t, 100))).toBe(0);
    const { work, workRound } = await generations.load(tenant.generationId);
    expect(work).toBe('reconcile');
    await generations.run((t) => finishWork(t, generations.jobOf(tenant.generationId, workRound)));
    expect(await generations.run((t) => startDueReconciliations(t, 100))).toBe(0);
  });

  it('know what the workers are configured with: what the last one said', async () => {
    await generations.run((t) => saveConfiguredRecipe(t, 'first', recipe));
    await generations.run((t) => saveConfiguredRecipe(t, 'second', recipe));
    await generations.run((t) => saveConfiguredRecipe(t, 'first', recipe));
    expect(await postgres.database.read(findConfiguredRecipe)).toEqual({ fingerprint: 'first', recipe });
  });

  it('are listed in pages, the newest first, and only the tenant’s own', async () => {
    const other = await TestTenant.create(postgres.database);
    const id = await generations.prepared();
    const list = (cursor?: string) =>
      postgres.database.read((manager) => listGenerations(manager, tenant.id, { limit: 1, cursor }));
    const first = await list();
    expect(first.rows.map((row) => row.id)).toEqual([id]);
    const second = await list(first.cursor ?? '');
    expect([second.rows.map((row) => row.id), second.hasMore]).toEqual([[tenant.generationId], false]);
    expect(
      await postgres.database.read((manager) => viewGeneration(manager, tenant.id, other.generationId)),
    ).toBeNull();
  });
});
