import { beforeEach, describe, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { AppError } from '@candor/contracts';
import { buildDocument, TestGenerations, TestTenant } from '../testing.js';
import { loseStep } from './generation-content.repository.js';
import {
  refusePromotion,
  requestPromotion,
  resendStalledPromotions,
  type Promotion,
} from './generation-promotion.repository.js';
import {
  claimWork,
  completeRetirement,
  finishWork,
  resendStalledWork,
  retireGeneration,
  saveProgress,
} from './generation-work.repository.js';
import {
  corpusFingerprintOf,
  findLiveGeneration,
  listGenerationsIn,
  WRITABLE_STATES,
} from './generation.repository.js';
import { completeIndexings } from './item-completion.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

describeOnPostgres('the swap of generations', (postgres) => {
  let tenant: TestTenant;
  let generations: TestGenerations;
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
    generations = new TestGenerations(tenant);
  });

  describe('promotion', () => {
    it('refuses an empty, an incomplete and an unfinished one', async () => {
      await tenant.add(buildDocument());
      const second = await tenant.add(buildDocument());
      const id = await generations.prepared();
      expect(await generations.promote(id)).toEqual({ kind: 'wrong_state', status: 'building' });
      await generations.query(`UPDATE generations SET status = 'ready', work = NULL WHERE id = $1`, [id]);
      expect(await generations.promote(id)).toMatchObject({ kind: 'empty', steps: { total: 2, done: 0 } });
      await generations.fill(id);
      await generations.run((t) => loseStep(t, id, [second.itemId]));
      expect(await generations.promote(id)).toMatchObject({ kind: 'incomplete', steps: { total: 2, missing: 1 } });
      expect((await generations.load(id)).status).toBe('ready');
      expect((await generations.load(tenant.generationId)).status).toBe('live');
      expect(await generations.promote(randomUuid())).toMatchObject({ kind: 'wrong_state' });
    });

    it('swaps, and rolls back', async () => {
      const item = await tenant.add(buildDocument());
      const id = await generations.ready();
      const before = await generations.view(tenant.generationId);
      expect(await generations.promote(id)).toMatchObject({
        kind: 'promoted',
        previousId: tenant.generationId,
        retiredIds: [],
      });
      const [live, previous] = [await generations.view(id), await generations.view(tenant.generationId)];
      expect(live).toMatchObject({ status: 'live', itemCount: 1, itemsDone: 1, promotedAt: expect.any(Date) });
      expect(previous).toMatchObject({ status: 'previous', itemCount: 1, itemsDone: 1 });
      expect(corpusFingerprintOf(live)).toBe(corpusFingerprintOf(before));
      expect(corpusFingerprintOf(previous)).toBe(corpusFingerprintOf(before));
      expect(await generations.promote(id)).toEqual({ kind: 'already_live' });
      expect((await generations.run((t) => findLiveGeneration(t, tenant.id)))?.id).toBe(id);
      const [, second] = await generations.run((t) => listGenerationsIn(t, tenant.id, WRITABLE_STATES));
      expect(second?.id).toBe(tenant.generationId);

      expect(await generations.promote(tenant.generationId)).toMatchObject({ kind: 'promoted', previousId: id });
      expect(await generations.outOfStep(id)).toEqual([]);
      await tenant.tombstone(item.itemId);
      await tenant.purge(item);
      expect((await generations.load(tenant.generationId)).itemCount).toBe(0);
    });

    it('does not roll back to one that missed a change', async () => {
      const document = buildDocument();
      const { itemId } = await tenant.add(document);
      const id = await generations.ready();
      await generations.promote(id);
      const { version } = await tenant.acceptOne({ ...document, body: 'second' });
      await tenant.extract({ itemId, version }, 'second');
      await tenant.start({ itemId, version }, 'indexing');
      // Written to the new live one alone.
      const entry = {
        job: tenant.job({ itemId, version }),
        chunks: [],
        metadataHash: '',
        generationIds: [id],
        knownIds: [id, tenant.generationId],
      };
      await generations.run((t) => completeIndexings(t, [entry]));
      expect(await generations.promote(tenant.generationId)).toMatchObject({
        kind: 'incomplete',
        steps: { outdated: 1 },
      });
    });

    it('makes a version that was written to the old one alone start again', async () => {
      const id = await generations.ready();
      const item = await tenant.acceptOne(buildDocument());
      await tenant.extract(item, 'text');
      await tenant.start(item, 'indexing');
      await generations.promote(id);
      await expect(tenant.complete(item, [])).rejects.toMatchObject({ code: 'GENERATION.CHANGED', retryable: true });
      const [row] = await generations.query('SELECT live_version FROM source_items WHERE id = $1', [item.itemId]);
      expect(row).toEqual({ live_version: null });
    });

    it('makes a version start again that does not know of a generation that is complete by now', async () => {
      const building = await generations.prepared();
      const item = await tenant.acceptOne(buildDocument());
      await tenant.extract(item, 'text');
      await tenant.start(item, 'indexing');
      const { workRound } = await generations.load(building);
      await generations.run((t) => finishWork(t, generations.jobOf(building, workRound)));
      await expect(tenant.complete(item, [])).rejects.toMatchObject({ code: 'GENERATION.CHANGED' });
      const entry = {
        job: tenant.job(item),
        chunks: [],
        metadataHash: '',
        generationIds: [tenant.generationId, building],
      };
      expect(await generations.run((t) => completeIndexings(t, [entry]))).toMatchObject([{ kind: 'indexed' }]);
      expect(await generations.outOfStep(building)).toEqual([]);
    });

    it('does not end a build while an item becomes searchable that it lacks', async () => {
      const building = await generations.prepared();
      const item = await tenant.acceptOne(buildDocument());
      await tenant.extract(item, 'text');
      await tenant.start(item, 'indexing');
      const { workRound } = await generations.load(building);
      let finishing: Promise<unknown> | undefined;
      await generations.run(async (t) => {
        // It knew of the live one alone, which is enough while the build goes on.
        const entry = { job: tenant.job(item), chunks: [], metadataHash: '', generationIds: [tenant.generationId] };
        await completeIndexings(t, [entry]);
        finishing = generations.run((other) => finishWork(other, generations.jobOf(building, workRound)));
        await new Promise((resolve) => setTimeout(resolve, 50));
      });
      expect(await finishing).toBe('incomplete');
      expect(await generations.load(building)).toMatchObject({ status: 'building', work: 'build' });
    });

    it('waits for a completion under way, and counts it', async () => {
      const id = await generations.ready();
      const item = await tenant.acceptOne(buildDocument());
      await tenant.extract(item, 'text');
      await tenant.start(item, 'indexing');
      let promoting: Promise<Promotion> | undefined;
      await generations.run(async (t) => {
        const entry = {
          job: tenant.job(item),
          chunks: [],
          metadataHash: '',
          generationIds: [tenant.generationId],
          knownIds: [tenant.generationId, id],
        };
        await completeIndexings(t, [entry]);
        promoting = generations.promote(id);
        await new Promise((resolve) => setTimeout(resolve, 50));
      });
      expect(await promoting).toMatchObject({ kind: 'empty', steps: { total: 1, missing: 1 } });
    });

    it('gives up the one before the previous one', async () => {
      await tenant.add(buildDocument());
      const second = await generations.ready();
      await generations.promote(second);
      const third = await generations.ready();
      expect(await generations.promote(third)).toMatchObject({ previousId: second, retiredIds: [tenant.generationId] });
      expect((await generations.load(tenant.generationId)).status).toBe('retiring');
      expect(await generations.promote(tenant.generationId)).toEqual({ kind: 'wrong_state', status: 'retiring' });
    });

    it('tells whoever waits what came of it, and is sent again when its job was lost', async () => {
      const id = await generations.ready();
      const runOf = { runId: randomUuid(), requestId: randomUuid() };
      await generations.run((t) => requestPromotion(t, { id, tenantId: tenant.id }, runOf));
      expect((await generations.load(id)).promotion).toMatchObject({ runId: runOf.runId, outcome: null });
      const refusal = new AppError('GENERATION.MAPPING_DRIFT', { message: 'vector has 8 dimensions' });
      await generations.run((t) => refusePromotion(t, id, randomUuid(), refusal));
      expect((await generations.load(id)).promotion?.outcome).toBeNull();

      await generations.query('DELETE FROM outbox WHERE tenant_id = $1', [tenant.id]);
      expect(await generations.run((t) => resendStalledPromotions(t, 5))).toBe(0);
      await generations.query(
        `UPDATE generations SET promotion = promotion || '{"requestedAt": "2020-01-01T00:00:00Z"}' WHERE id = $1`,
        [id],
      );
      expect(await generations.run((t) => resendStalledPromotions(t, 5))).toBe(1);
      const jobs = await generations.query('SELECT job_name FROM outbox WHERE tenant_id = $1', [tenant.id]);
      expect(jobs).toEqual([{ job_name: 'generation.promote' }]);

      await generations.run((t) => refusePromotion(t, id, runOf.runId, refusal));
      expect((await generations.load(id)).promotion).toMatchObject({
        outcome: 'refused',
        errorType: 'GENERATION.MAPPING_DRIFT',
        errorMessage: 'vector has 8 dimensions',
      });
    });
  });

  describe('giving one up', () => {
    const retire = (id: string) =>
      generations.run((t) => retireGeneration(t, { id, tenantId: tenant.id, requestId: randomUuid() }));

    it('is not for the live one, and cancels a build at once', async () => {
      expect(await retire(tenant.generationId)).toBe(false);
      const id = await generations.prepared();
      expect(await retire(id)).toBe(true);
      expect(await retire(id)).toBe(false);
      expect(await generations.run((t) => claimWork(t, generations.jobOf(id, 1), 'build'))).toBeNull();
      expect(
        await generations.run((t) =>
          saveProgress(t, generations.jobOf(id, 2), { cursor: null, phase: 'fill', items: 0 }),
        ),
      ).toBe(false);
      expect(await generations.create()).not.toBeNull();
    });

    it('drops the index only after requests that may use it have ended', async () => {
      const id = await generations.ready();
      await retire(id);
      expect((await generations.load(id)).retireAfter?.getTime()).toBeGreaterThan(Date.now() + 20_000);
      expect(await generations.run((t) => resendStalledWork(t, 5))).toBe(0);
      await generations.query(`UPDATE generations SET work_lease_until = now() - interval '1 second' WHERE id = $1`, [
        id,
      ]);
      expect(await generations.run((t) => resendStalledWork(t, 5))).toBe(1);
      const { workRound } = await generations.load(id);
      expect(await generations.run((t) => claimWork(t, generations.jobOf(id, workRound), 'retire'))).not.toBeNull();
      expect(await generations.run((t) => completeRetirement(t, id))).toBe(true);
      expect(await generations.run((t) => completeRetirement(t, id))).toBe(false);
      expect(await generations.load(id)).toMatchObject({ status: 'retired', work: null, retiredAt: expect.any(Date) });
    });
  });
});
