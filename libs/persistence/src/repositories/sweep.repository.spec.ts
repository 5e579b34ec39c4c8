import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { buildDocument, TestTenant } from '../testing.js';
import { insertAuditEvents } from './audit-event.repository.js';
import type { AcceptedItem } from './ingest.repository.js';
import { completeRefresh } from './item-pipeline.repository.js';
import { extendLease, findStrandedVersions, resendStaleHeads, resendStrandedVersion } from './sweep.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

describeOnPostgres('the sweeper', (postgres) => {
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });
  afterEach(async () => {
    await query('DELETE FROM outbox');
    await query('UPDATE item_versions SET lease_until = NULL');
    await query('UPDATE source_items SET updated_at = now()');
  });

  const { query } = postgres;

  const emptyOutbox = (): Promise<unknown> => query('DELETE FROM outbox');
  const jobs = (): Promise<{ job_name: string; payload: Record<string, unknown> }[]> =>
    query('SELECT job_name, payload FROM outbox ORDER BY id');
  const outrun = (item: AcceptedItem): Promise<unknown> =>
    query(`UPDATE item_versions SET lease_until = now() - interval '1 second' WHERE item_id = $1`, [item.itemId]);
  const age = (): Promise<unknown> =>
    query(
      `WITH heads AS (UPDATE source_items SET updated_at = now() - interval '2 minutes' RETURNING 1)
       UPDATE ingestion_items SET state_at = now() - interval '2 minutes'`,
    );
  const find = (limit = 100): ReturnType<typeof findStrandedVersions> =>
    postgres.database.transaction((transaction) => findStrandedVersions(transaction, limit));
  const resendHeads = (): Promise<number> =>
    postgres.database.transaction((transaction) => resendStaleHeads(transaction, 100));

  it('finds unfinished versions whose lease ran out, with the job of their stage', async () => {
    const requestId = randomUuid();
    const accepted = await tenant.acceptOne(buildDocument(), requestId);
    const indexing = await tenant.acceptOne(buildDocument());
    await tenant.extract(indexing, 'text');
    const busy = await tenant.acceptOne(buildDocument());
    await tenant.start(busy, 'extracting');
    const { body: _body, mimeType: _mimeType, ...described } = buildDocument();
    const file = await tenant.acceptOne({
      ...described,
      file: { name: 'a.pdf', mediaType: 'application/pdf', bytes: Buffer.from('%PDF') },
    });
    const done = await tenant.add(buildDocument());
    await emptyOutbox();
    for (const item of [accepted, indexing, file, done]) await outrun(item);

    const found = await find();
    expect(new Map(found.map((job) => [job.payload.itemId, job.jobName]))).toEqual(
      new Map([
        [accepted.itemId, 'item.index'],
        [indexing.itemId, 'item.index'],
        [file.itemId, 'item.extract'],
      ]),
    );
    expect(found.find((job) => job.payload.itemId === accepted.itemId)?.payload).toEqual({
      tenantId: tenant.id,
      requestId,
      itemId: accepted.itemId,
      version: 1,
      epoch: 0,
    });
    expect(await find(1)).toHaveLength(1);
  });

  it('leaves alone what still waits in the outbox', async () => {
    const item = await tenant.acceptOne(buildDocument());
    await outrun(item);
    expect(await find()).toEqual([]);
    await emptyOutbox();
    expect(await find()).toHaveLength(1);
  });

  it('gives each version to one of the sweepers that work at once', async () => {
    for (let count = 0; count < 4; count += 1) await outrun(await tenant.acceptOne(buildDocument()));
    await emptyOutbox();
    const [first, second] = await postgres.database.transaction(async (transaction) => [
      await findStrandedVersions(transaction, 2),
      await find(),
    ]);
    const ids = [...(first ?? []), ...(second ?? [])].map((job) => job.payload.itemId);
    expect(new Set(ids).size).toBe(4);
    expect(ids).toHaveLength(4);
  });

  it('sends a lost job again under a new epoch, once, and looks again later', async () => {
    const item = await tenant.acceptOne(buildDocument());
    await emptyOutbox();
    await outrun(item);
    await postgres.database.transaction(async (transaction) => {
      for (const job of await findStrandedVersions(transaction, 10)) await resendStrandedVersion(transaction, job);
    });
    expect(await jobs()).toEqual([
      { job_name: 'item.index', payload: expect.objectContaining({ itemId: item.itemId, epoch: 1 }) },
    ]);
    await emptyOutbox();
    expect(await find()).toEqual([]);
    await outrun(item);
    expect((await find())[0]?.payload.epoch).toBe(1);
  });

  it('looks again later after a job that the queue still has', async () => {
    const item = await tenant.acceptOne(buildDocument());
    await emptyOutbox();
    await outrun(item);
    const [job] = await find();
    if (!job) throw new Error('nothing found');
    await postgres.database.transaction((transaction) => extendLease(transaction, job.payload));
    expect(await find()).toEqual([]);
  });

  it('sends deletes again that did not end, for the request that asked', async () => {
    const item = await tenant.add(buildDocument());
    const young = await tenant.add(buildDocument());
    const requestId = randomUuid();
    await tenant.tombstone(item.itemId);
    await postgres.database.transaction((transaction) =>
      insertAuditEvents(transaction, [
        {
          tenantId: tenant.id,
          requestId,
          action: 'item.delete',
          outcome: 'accepted',
          actorApiKeyId: null,
          actorType: 'application',
          targetType: 'source_item',
          targetId: item.itemId,
          metadata: {},
        },
      ]),
    );
    await emptyOutbox();
    await age();
    await tenant.tombstone(young.itemId);

    expect(await resendHeads()).toBe(1);
    const sent = await jobs();
    expect(sent).toEqual([
      {
        job_name: 'item.delete',
        payload: { tenantId: tenant.id, requestId, itemId: item.itemId, version: 1, epoch: 3 },
      },
    ]);
    await age();
    expect(await resendHeads()).toBe(1);
    expect((await jobs()).slice(1).map((job) => job.payload['itemId'])).toEqual([young.itemId]);

    await emptyOutbox();
    await age();
    await tenant.purge(item);
    await tenant.purge(young);
    await age();
    expect(await resendHeads()).toBe(0);
  });

  it('sends metadata refreshes again that did not end', async () => {
    const document = buildDocument();
    const first = await tenant.add(document);
    const [one, two] = [randomUuid(), randomUuid()];
    await tenant.acceptOne({ ...document, tags: ['x'] }, one);
    await tenant.acceptOne({ ...document, tags: ['y'] }, two);
    await emptyOutbox();
    expect(await resendHeads()).toBe(0);
    await age();
    expect(await resendHeads()).toBe(1);
    expect(await jobs()).toEqual([
      {
        job_name: 'item.refresh-metadata',
        payload: { tenantId: tenant.id, requestId: expect.any(String), itemId: first.itemId, version: 1, epoch: 4 },
      },
    ]);
    for (const requestId of [one, two]) {
      await postgres.database.transaction((transaction) =>
        completeRefresh(transaction, { ...tenant.job(first), requestId: requestId as never }),
      );
    }
    await emptyOutbox();
    await age();
    expect(await resendHeads()).toBe(0);
  });

  it('does not take a version that is still being indexed for a refresh', async () => {
    await tenant.acceptOne(buildDocument());
    await emptyOutbox();
    await age();
    expect(await resendHeads()).toBe(0);
  });
});
