import { serviceViewer } from '../visibility.js';
import { beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { AppError } from '@candor/contracts';
import { buildDocument, TestTenant } from '../testing.js';
import { insertDeadLetter, listDeadLetters, retryDeadLetter, type RetryResult } from './dead-letter.repository.js';
import type { AcceptedItem } from './ingest.repository.js';
import { findIngestion } from './ingestion-status.repository.js';
import { failVersion } from './item-pipeline.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

describeOnPostgres('dead letters', (postgres) => {
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });

  const { query } = postgres;

  /** What the worker commits when a job can't ever succeed. */
  async function bury(item: AcceptedItem | null, requestId: string, payload: unknown = {}): Promise<string> {
    return postgres.database.transaction(async (transaction) => {
      if (item) await failVersion(transaction, tenant.job(item), new AppError('INTERNAL.UNEXPECTED'));
      return insertDeadLetter(transaction, {
        tenantId: tenant.id,
        requestId,
        jobName: 'item.extract',
        itemId: item?.itemId ?? null,
        version: item?.version ?? null,
        payload,
        errorType: 'INTERNAL.UNEXPECTED',
        errorMessage: 'no',
      });
    });
  }

  const retry = (id: string, tenantId = tenant.id): Promise<RetryResult> =>
    postgres.database.transaction((transaction) => retryDeadLetter(transaction, serviceViewer(tenantId), id));

  it('can be put back to work once', async () => {
    const requestId = randomUuid();
    const document = buildDocument();
    const item = await tenant.acceptOne(document, requestId);
    const id = await bury(item, requestId, { itemId: item.itemId });
    await query('DELETE FROM outbox');

    expect(await retry(id)).toEqual({
      kind: 'retried',
      letter: expect.objectContaining({ id, externalId: document.externalId, retriedAt: expect.any(Date) }),
    });
    const jobs = await query('SELECT job_name, payload FROM outbox WHERE tenant_id = $1', [tenant.id]);
    expect(jobs).toEqual([
      {
        job_name: 'item.index',
        payload: { tenantId: tenant.id, requestId, itemId: item.itemId, version: 1, epoch: 1 },
      },
    ]);
    const ingestion = await postgres.database.read((manager) =>
      findIngestion(manager, serviceViewer(tenant.id), requestId),
    );
    expect(ingestion?.items[0]).toMatchObject({ state: 'accepted', error: null });
    expect(await retry(id)).toEqual({ kind: 'not_retryable' });

    await tenant.index(item);
    expect(await query('SELECT state FROM item_versions WHERE item_id = $1', [item.itemId])).toEqual([
      { state: 'indexed' },
    ]);
  });

  it('is retried by one of two who try at once', async () => {
    const item = await tenant.acceptOne(buildDocument());
    const id = await bury(item, randomUuid());
    const results = await Promise.all([retry(id), retry(id)]);
    expect(results.map((result) => result.kind).sort()).toEqual(['not_retryable', 'retried']);
  });

  it('is not retryable when overtaken by a newer version, a delete, or when there is no item', async () => {
    const document = buildDocument();
    const overtaken = await tenant.acceptOne(document);
    const first = await bury(overtaken, randomUuid());
    await tenant.acceptOne({ ...document, body: 'newer' });
    expect(await retry(first)).toEqual({ kind: 'not_retryable' });

    const deleted = await tenant.acceptOne(buildDocument());
    const second = await bury(deleted, randomUuid());
    await tenant.tombstone(deleted.itemId);
    expect(await retry(second)).toEqual({ kind: 'not_retryable' });
    expect(await retry(await bury(null, randomUuid()))).toEqual({ kind: 'not_retryable' });

    const stranger = await TestTenant.create(postgres.database);
    const third = await bury(await tenant.acceptOne(buildDocument()), randomUuid());
    expect(await retry(third, stranger.id)).toEqual({ kind: 'not_found' });
    expect(await retry(randomUuid())).toEqual({ kind: 'not_found' });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'no object'],
    ['a NUL', { text: 'a\0b' }],
    ['half a surrogate pair', { text: '\ud83d' }],
  ])('holds a poison payload: %s', async (_name, payload) => {
    await expect(bury(null, randomUuid(), payload)).resolves.toEqual(expect.any(String));
  });

  it('is listed newest first, each once, also when many have the same time', async () => {
    const ids = [];
    for (let count = 0; count < 7; count += 1) ids.push(await bury(null, randomUuid()));
    await query(`UPDATE dead_letters SET created_at = '2026-01-01T00:00:00.123456Z' WHERE tenant_id = $1`, [tenant.id]);
    const newest = await bury(await tenant.acceptOne(buildDocument({ externalId: 'newest' })), randomUuid());

    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await postgres.database.read((manager) =>
        listDeadLetters(manager, serviceViewer(tenant.id), { limit: 3, cursor: cursor ?? undefined }),
      );
      expect(page.hasMore).toBe(page.cursor !== null);
      if (seen.length === 0) expect(page.rows[0]).toMatchObject({ id: newest, externalId: 'newest', payload: {} });
      seen.push(...page.rows.map((row) => row.id));
      cursor = page.cursor;
    } while (cursor !== null);
    expect(seen).toHaveLength(8);
    expect(new Set(seen)).toEqual(new Set([...ids, newest]));
  });
});
