import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import type { JobName } from '@candor/contracts';
import { buildDocument, TestTenant } from '../testing.js';
import { enqueue, enqueueItemJob, OutboxRepository, type OutboxLane, type OutboxRow } from './outbox.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

const EVERY_JOB: JobName[] = ['item.extract', 'item.index', 'item.refresh-metadata', 'item.delete', 'reasoning.answer'];
const idsOf = (rows: readonly OutboxRow[]): string[] => rows.map((row) => row.id);

describeOnPostgres('OutboxRepository', (postgres) => {
  let outbox: OutboxRepository;
  let tenants: [string, string, string];

  beforeAll(async () => {
    outbox = new OutboxRepository(postgres.database);
  });
  beforeEach(() => {
    tenants = [randomUuid(), randomUuid(), randomUuid()];
  });
  afterEach(() => query('DELETE FROM outbox'));

  const { query } = postgres;

  const fill = (tenantId: string, count: number, jobName: JobName = 'item.extract'): Promise<void> =>
    postgres.database.transaction((transaction) =>
      enqueue(
        transaction,
        Array.from({ length: count }, (_value, index) => ({ tenantId, jobName, payload: { index } })),
      ),
    );

  /** Claims of `limit` until the outbox is empty, and what came out. */
  async function drain(take: (limit: number) => Promise<OutboxRow[]>, limit: number): Promise<OutboxRow[]> {
    const all: OutboxRow[] = [];
    for (let taken = await take(limit); taken.length > 0; taken = await take(limit)) all.push(...taken);
    return all;
  }

  async function claimed(limit: number): Promise<OutboxRow[]> {
    const share = (lanes: readonly OutboxLane[]): number[] =>
      lanes.map((_lane, index) => (index < limit ? Math.ceil(limit / lanes.length) : 0));
    const rows = await outbox.claim({ share, jobNames: EVERY_JOB });
    await outbox.markSent(idsOf(rows));
    return rows;
  }

  it('tells what waits, by job, with the age of the oldest', async () => {
    expect(await outbox.backlog()).toEqual([]);
    await fill(tenants[0], 2);
    await fill(tenants[1], 1, 'item.delete');
    await query(`UPDATE outbox SET created_at = now() - interval '90 seconds' WHERE tenant_id = $1`, [tenants[0]]);
    const backlog = await outbox.backlog();
    expect(backlog.map(({ jobName, rows }) => [jobName, rows]).sort()).toEqual([
      ['item.delete', 1],
      ['item.extract', 2],
    ]);
    const [old, young] = ['item.extract', 'item.delete'].map((job) => backlog.find(({ jobName }) => jobName === job));
    expect(old?.oldestSeconds).toBeGreaterThanOrEqual(89);
    expect(young?.oldestSeconds).toBeLessThan(60);
  });

  describe('claim', () => {
    const take = claimed;

    it('gives rows as they were put in, oldest first, and then none', async () => {
      await fill(tenants[0], 5, 'item.delete');
      const rows = await drain(take, 2);
      expect(rows.map((row) => [row.tenantId, row.jobName, row.payload['index']])).toEqual(
        [0, 1, 2, 3, 4].map((index) => [tenants[0], 'item.delete', index]),
      );
      expect(await outbox.size()).toBe(0);
      expect(await take(2)).toEqual([]);
    });

    it('goes round the tenants: a backlog starves nobody', async () => {
      await fill(tenants[0], 200);
      await fill(tenants[1], 2);
      await fill(tenants[2], 1);
      const first = await take(6);
      const turns = first.map((row) => tenants.indexOf(row.tenantId));
      expect(turns.slice(0, 3).sort()).toEqual([0, 1, 2]);
      expect(turns.slice(3).sort()).toEqual([0, 1]);
      expect(await drain(take, 50)).toHaveLength(203 - first.length);
    });

    it('serves every tenant before it serves one twice', async () => {
      for (const tenant of tenants) await fill(tenant, 2);
      expect(new Set((await take(4)).map((row) => row.tenantId)).size).toBe(3);
    });

    it('serves more tenants than it may take rows', async () => {
      const many = Array.from({ length: 12 }, () => randomUuid());
      for (const tenant of many) await fill(tenant, 2);
      const rows = await drain(take, 5);
      expect(rows).toHaveLength(24);
      expect(new Set(idsOf(rows)).size).toBe(24);
    });

    it('gives each row to one of the dispatchers that work at once', async () => {
      for (const tenant of tenants) await fill(tenant, 60);
      const parts = await Promise.all([1, 2, 3].map(() => drain(take, 7)));
      const rest = await drain(take, 50);
      const ids = [...parts.flat(), ...rest].map((row) => row.id);
      expect(ids).toHaveLength(180);
      expect(new Set(ids).size).toBe(180);
    });

    it('takes no more of a tenant than its share, and only the jobs asked for', async () => {
      await fill(tenants[0], 10);
      await fill(tenants[0], 2, 'item.delete');
      await fill(tenants[1], 10);
      const share = (lanes: readonly OutboxLane[]): number[] =>
        lanes.map(({ tenantId }) => (tenantId === tenants[0] ? 3 : 0));
      const extracts = await outbox.claim({ share, jobNames: ['item.extract'] });
      expect(extracts.map((row) => row.tenantId)).toEqual([tenants[0], tenants[0], tenants[0]]);
      const deletes = await outbox.claim({ share, jobNames: ['item.delete'] });
      expect(deletes.map((row) => row.jobName)).toEqual(['item.delete', 'item.delete']);
      expect(await outbox.claim({ share, jobNames: [] })).toEqual([]);
    });

    it('goes round the lanes of a tenant: its connectors, and what is pushed of each provider', async () => {
      const tenant = await TestTenant.create(postgres.database);
      const connectorId = randomUuid();
      for (let number = 0; number < 5; number += 1)
        await tenant.acceptOne(buildDocument({ externalId: `large-${number}`, connectorId }));
      await tenant.acceptOne(buildDocument({ externalId: 'pushed', provider: 'notion' }));
      await fill(tenant.id, 1);
      const rows = await outbox.claim({ share: (lanes) => lanes.map(() => 2), jobNames: EVERY_JOB });
      expect(rows.map(({ lane }) => lane)).toEqual(expect.arrayContaining([connectorId, connectorId, 'notion', '']));
      expect(rows).toHaveLength(4);
      expect(new Set(rows.slice(0, 3).map(({ lane }) => lane)).size).toBe(3);
    });

    it('asks for shares of the lanes only that have something to give', async () => {
      await fill(tenants[0], 2, 'item.delete');
      await fill(tenants[1], 2);
      await fill(tenants[2], 1);
      await query(`UPDATE outbox SET claimed_until = now() + interval '1 minute' WHERE tenant_id = $1`, [tenants[2]]);
      let asked: string[] = [];
      const share = (lanes: readonly OutboxLane[]): number[] => {
        asked = lanes.map(({ tenantId }) => tenantId);
        return lanes.map(() => 5);
      };
      expect(await outbox.claim({ share, jobNames: ['item.extract'] })).toHaveLength(2);
      expect(asked).toEqual([tenants[1]]);
    });

    it('gives released rows out again at once, and those of a dead dispatcher when their lease is over', async () => {
      await fill(tenants[0], 2);
      const options = { share: (lanes: readonly OutboxLane[]) => lanes.map(() => 20), jobNames: EVERY_JOB };
      const rows = await outbox.claim(options);
      expect(rows).toHaveLength(2);
      expect(await outbox.claim(options)).toEqual([]);
      await outbox.release(idsOf(rows).slice(0, 1), 'DEPENDENCY.QUEUE_UNAVAILABLE');
      expect(idsOf(await outbox.claim(options))).toEqual(idsOf(rows).slice(0, 1));
      const errors = await query('SELECT last_error FROM outbox ORDER BY id');
      expect(errors).toEqual([{ last_error: 'DEPENDENCY.QUEUE_UNAVAILABLE' }, { last_error: null }]);
      await query(`UPDATE outbox SET claimed_until = now() - interval '1 second'`);
      expect(idsOf(await outbox.claim(options))).toEqual(idsOf(rows));
      await outbox.markSent([]);
      expect(await outbox.size()).toBe(2);
    });
  });

  it('starts the lease of an unfinished version when its job leaves, and of no other', async () => {
    const tenant = await TestTenant.create(postgres.database);
    const waiting = await tenant.acceptOne(buildDocument());
    const done = await tenant.add(buildDocument());
    await query(`UPDATE item_versions SET lease_until = NULL WHERE tenant_id = $1`, [tenant.id]);
    await postgres.database.transaction((transaction) => enqueueItemJob(transaction, 'item.index', tenant.job(done)));
    await claimed(10);
    const leases = await query<{ item_id: string; lease_until: Date | null }>(
      'SELECT item_id, lease_until FROM item_versions WHERE tenant_id = $1',
      [tenant.id],
    );
    const leaseOf = (itemId: string): Date | null | undefined =>
      leases.find((row) => row.item_id === itemId)?.lease_until;
    expect(leaseOf(waiting.itemId)).toEqual(expect.any(Date));
    expect(leaseOf(done.itemId)).toBeNull();
  });
});
