import { beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { AppError } from '@candor/contracts';
import { buildDocument, TestTenant } from '../testing.js';
import { serviceViewer, type Visibility } from '../visibility.js';
import { acceptDocuments } from './ingest.repository.js';
import {
  findIngestion,
  listIngestions,
  summarizeUnfinished,
  type IngestionCounts,
  type UnfinishedWork,
} from './ingestion-status.repository.js';
import { failVersion } from './item-pipeline.repository.js';
import { recordWaits } from './item-wait.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

const NOTHING: UnfinishedWork = {
  counts: {},
  oldestAt: null,
  indexedLastMinute: 0,
  waiting: [],
  deleting: 0,
  refreshing: 0,
};

describeOnPostgres('the overview of ingestions', (postgres) => {
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });

  async function list(
    viewer: Visibility = serviceViewer(tenant.id),
    page: { limit: number; cursor?: string } = { limit: 20 },
    apiKeyId: string = randomUuid(),
  ): Promise<{ rows: IngestionCounts[]; cursor: string | null }> {
    return postgres.database.read((manager) => listIngestions(manager, { ...viewer, apiKeyId }, page));
  }

  const summarize = (viewer: Visibility = serviceViewer(tenant.id)): Promise<UnfinishedWork> =>
    postgres.database.read((manager) => summarizeUnfinished(manager, viewer));

  it('counts by state, newest request first', async () => {
    const [older, newer] = [randomUuid(), randomUuid()];
    const [waiting, extracting, failed] = await tenant.accept(
      [1, 2, 3].map(() => buildDocument()),
      older,
    );
    if (!waiting || !extracting || !failed) throw new Error('no items');
    await tenant.start(extracting, 'extracting');
    await postgres.database.transaction((transaction) =>
      failVersion(transaction, tenant.job(failed), new AppError('EXTRACT.EMPTY')),
    );
    const document = buildDocument();
    await tenant.add(document);
    await tenant.accept([document], newer);
    const { rows } = await list();
    expect(rows.map(({ requestId, counts }) => [requestId, counts])).toEqual([
      [newer, { skipped: 1 }],
      [expect.any(String), { indexed: 1 }],
      [older, { accepted: 1, extracting: 1, failed: 1 }],
    ]);
    const work = await summarize();
    expect(work).toEqual({
      ...NOTHING,
      counts: { accepted: 1, extracting: 1 },
      oldestAt: expect.any(Date),
      indexedLastMinute: 1,
    });
    expect(Math.abs(Date.now() - (work.oldestAt?.getTime() ?? 0))).toBeLessThan(60_000);
  });

  it('says why items wait for another attempt, and until when, as long as they do', async () => {
    const requestId = randomUuid();
    const [parked, retried, done] = await tenant.accept([buildDocument(), buildDocument(), buildDocument()], requestId);
    if (!parked || !retried || !done) throw new Error('no items');
    await tenant.index(done);
    const [soon, later] = [new Date('2026-03-01T10:00:00Z'), new Date('2026-03-01T11:00:00Z')];
    const down = { type: 'DEPENDENCY.INDEX_UNAVAILABLE', message: 'The index is away.' };
    const waits = [parked, retried, done].map((item, index) => ({
      job: tenant.job(item),
      error: down,
      nextAttemptAt: index === 0 ? soon : later,
      failedAt: performance.now(),
    }));
    await postgres.database.transaction((transaction) => recordWaits(transaction, waits));
    const read = async (): Promise<unknown> =>
      (
        await postgres.database.read((manager) => findIngestion(manager, serviceViewer(tenant.id), requestId))
      )?.items.map(({ error, waiting }) => [error, waiting]);
    expect(await read()).toEqual([
      [null, { ...down, nextAttemptAt: soon }],
      [null, { ...down, nextAttemptAt: later }],
      [null, null],
    ]);
    expect((await summarize()).waiting).toEqual([{ type: down.type, count: 2, nextAttemptAt: soon }]);
    // Of somebody else's tenant nothing is written down.
    const stranger = await TestTenant.create(postgres.database);
    const foreign = [
      {
        job: { ...tenant.job(parked), tenantId: stranger.id },
        error: down,
        nextAttemptAt: later,
        failedAt: performance.now(),
      },
    ];
    await postgres.database.transaction((transaction) => recordWaits(transaction, foreign));
    await tenant.start(retried, 'indexing');
    expect(await read()).toEqual([
      [null, { ...down, nextAttemptAt: soon }],
      [null, null],
      [null, null],
    ]);
  });

  it('writes no reason down that is over: the item has entered a stage since', async () => {
    const requestId = randomUuid();
    const [entered, waits] = await tenant.accept([buildDocument(), buildDocument()], requestId);
    if (!entered || !waits) throw new Error('no items');
    // Both failed half a second ago; one of them has been tried again since.
    await Promise.all([entered, waits].map((item) => tenant.start(item, 'indexing')));
    await postgres.query(`UPDATE item_versions SET state_at = state_at - interval '1 second' WHERE item_id = $1`, [
      waits.itemId,
    ]);
    const failedAt = performance.now() - 500;
    const error = { type: 'DEPENDENCY.INDEX_UNAVAILABLE', message: 'The index is away.' };
    const nextAttemptAt = new Date('2026-03-01T10:00:00Z');
    await postgres.database.transaction((transaction) =>
      recordWaits(
        transaction,
        [entered, waits].map((item) => ({ job: tenant.job(item), error, nextAttemptAt, failedAt })),
      ),
    );
    const found = await postgres.database.read((manager) =>
      findIngestion(manager, serviceViewer(tenant.id), requestId),
    );
    const waiting = new Map(found?.items.map((item) => [item.itemId, item.waiting]));
    expect(waiting.get(entered.itemId)).toBeNull();
    expect(waiting.get(waits.itemId)).toEqual({ ...error, nextAttemptAt });
  });

  it('counts deletes and changed metadata on their way', async () => {
    const document = buildDocument();
    const { itemId } = await tenant.add(document);
    const gone = await tenant.add(buildDocument());
    await tenant.acceptOne({ ...document, tags: ['new'] });
    await tenant.tombstone(gone.itemId);
    expect(await summarize()).toMatchObject({ counts: {}, deleting: 1, refreshing: 1 });
    const away = { tenantId: tenant.id, providers: ['notion'], principals: null };
    expect(await summarize(away)).toMatchObject({ deleting: 0, refreshing: 0 });
    await tenant.tombstone(itemId);
    expect(await summarize()).toMatchObject({ deleting: 2, refreshing: 0 });
  });

  it('says that nothing waits', async () => {
    expect(await summarize()).toEqual(NOTHING);
    expect(await list()).toEqual({ rows: [], cursor: null, hasMore: false });
  });

  it('comes in pages', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      ids.unshift(randomUuid());
      await tenant.acceptOne(buildDocument(), ids[0]);
    }
    const first = await list(undefined, { limit: 2 });
    const second = await list(undefined, { limit: 2, cursor: first.cursor ?? '' });
    const third = await list(undefined, { limit: 2, cursor: second.cursor ?? '' });
    expect([first, second, third].flatMap(({ rows }) => rows.map((row) => row.requestId))).toEqual(ids);
    expect(third.cursor).toBeNull();
  });

  it('counts only what the viewer may see, but a key’s own requests whole', async () => {
    const apiKeyId = randomUuid();
    const [hidden, mixed] = [randomUuid(), randomUuid()];
    const secret = (): ReturnType<typeof buildDocument> =>
      buildDocument({ accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:other@x.org'] } });
    const open = buildDocument({ accessPolicy: { provider: 'slack', mode: 'provider_scope' } });
    await tenant.accept([secret()], hidden);
    await postgres.database.transaction((transaction) =>
      acceptDocuments(transaction, tenant.id, mixed, [open, secret()], apiKeyId),
    );
    const viewer = { tenantId: tenant.id, providers: null, principals: ['user:me@x.org'] };
    expect((await list(viewer)).rows).toMatchObject([{ requestId: mixed, counts: { accepted: 1 } }]);
    expect((await list(viewer, { limit: 20 }, apiKeyId)).rows).toMatchObject([
      { requestId: mixed, counts: { accepted: 2 } },
    ]);
    expect((await summarize(viewer)).counts).toEqual({ accepted: 1 });
    expect((await summarize({ ...viewer, providers: ['notion'] })).counts).toEqual({});
    const stranger = await TestTenant.create(postgres.database);
    expect((await list(serviceViewer(stranger.id))).rows).toEqual([]);
  });
});
