import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { v4 as randomUuid } from 'uuid';
import { AppError, startDueRunJob, type StartDueRunPayload } from '@candor/contracts';
import {
  beginCheck,
  findSourceById,
  listSyncRuns,
  readCredentials,
  updateSource,
  wantFullRun,
  type SyncRunRecord,
} from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { JobSchedules } from '@candor/queue';
import { CredentialCipher, credentialOwner } from '@candor/runtime';
import { OpenConnectorService } from '../../connectors/open-connector.service.js';
import { rotateCredentials } from '../../rotate-credentials.js';
import { SyncHarness } from '../sync-connector/testing/sync-harness.js';
import { CheckSourceService } from './check-source.service.js';
import { SourceSchedulesService } from './source-schedules.service.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('sources', () => {
  let test: TestDatabase;
  let harness: SyncHarness;
  let schedules: JobSchedules;
  let service: SourceSchedulesService;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    schedules = new JobSchedules({ kind: 'postgres', url: test.url });
    service = new SourceSchedulesService(test.database, schedules);
  });
  afterAll(async () => {
    await schedules.close();
    await test.drop();
  });
  beforeEach(async () => {
    harness = await SyncHarness.create(test.database);
  });

  const change = (fields: Parameters<typeof updateSource>[2]): Promise<void> =>
    test.database.transaction((transaction) => updateSource(transaction, harness.sourceId, fields));
  const scheduled = async (): Promise<Record<string, number>> => {
    const all = await schedules.list(startDueRunJob.queue);
    const own = all.filter(({ id }) => id.startsWith(harness.sourceId));
    return Object.fromEntries(own.map(({ id, everyMs }) => [id.slice(37), everyMs / 60_000]));
  };
  const due = (mode: 'incremental' | 'reconcile'): Promise<void> =>
    service.startDueRun({
      tenantId: harness.tenant.id,
      requestId: harness.sourceId,
      sourceId: harness.sourceId,
      mode,
    } as StartDueRunPayload);
  const runs = async (): Promise<SyncRunRecord[]> => {
    const viewer = { tenantId: harness.tenant.id, providers: null };
    return (await test.database.read((manager) => listSyncRuns(manager, viewer, { limit: 20 }))).rows;
  };

  describe('on a schedule', () => {
    it('follow what the database says: set, changed, paused', async () => {
      await service.apply(harness.sourceId);
      expect(await scheduled()).toEqual({ incremental: 15, reconcile: 1_440 });
      await change({ syncEveryMinutes: 5, reconcileEveryMinutes: null });
      await service.apply(harness.sourceId);
      expect(await scheduled()).toEqual({ incremental: 5 });
      await change({ state: 'paused' });
      await service.apply(harness.sourceId);
      expect(await scheduled()).toEqual({});
    });

    it('come back when the queue has lost them, and go when nobody wants them', async () => {
      await service.applyAll();
      expect(await service.applyAll()).toBe(0);
      await schedules.remove(startDueRunJob.queue, `${harness.sourceId}-incremental`);
      await change({ reconcileEveryMinutes: null });
      expect(await service.applyAll()).toBe(2);
      expect(await scheduled()).toEqual({ incremental: 15 });
    });

    it('start a run, and say when the next one is due', async () => {
      const before = (await harness.source()).nextRunAt?.getTime() ?? 0;
      await due('incremental');
      expect(await runs()).toMatchObject([{ mode: 'incremental', trigger: 'schedule', state: 'queued' }]);
      expect((await harness.source()).nextRunAt?.getTime()).toBeGreaterThan(before);
    });

    it('leave an active run alone; a comparison comes after it', async () => {
      await harness.start();
      await due('incremental');
      await due('reconcile');
      expect(await runs()).toHaveLength(1);
      await harness.work();
      expect((await runs()).map(({ mode, state }) => [mode, state])).toEqual([
        ['reconcile', 'succeeded'],
        ['incremental', 'succeeded'],
      ]);
    });

    it('list everything anew where something was left out', async () => {
      await test.database.transaction((transaction) => wantFullRun(transaction, harness.sourceId));
      await due('reconcile');
      expect(await runs()).toMatchObject([{ mode: 'full' }]);
    });

    it('do nothing for a paused source', async () => {
      await change({ state: 'paused' });
      await due('incremental');
      expect(await runs()).toEqual([]);
    });
  });

  describe('being checked', () => {
    const check = async (): Promise<unknown> => {
      const connectors = new OpenConnectorService(test.database, harness.cipher, () => harness.connector);
      const checkId = await test.database.transaction((transaction) => beginCheck(transaction, harness.sourceId));
      await new CheckSourceService(test.database, connectors).check(
        { tenantId: harness.tenant.id, requestId: randomUuid(), sourceId: harness.sourceId, checkId } as never,
        new AbortController().signal,
      );
      return (await harness.source()).lastCheck;
    };

    it('say whose account it is', async () => {
      expect(await check()).toMatchObject({ status: 'ok', account: 'Ada at Example', error: null });
    });

    it.each([
      ['CONNECTOR.CREDENTIALS_REJECTED', 'rejected'],
      ['CONNECTOR.UNAVAILABLE', 'unavailable'],
    ] as const)('say %s as %s', async (code, status) => {
      harness.refuse(new AppError(code));
      expect(await check()).toMatchObject({ status, account: null, error: { type: code } });
    });

    it('forget a check that was asked for before', async () => {
      const earlier = await test.database.transaction((transaction) => beginCheck(transaction, harness.sourceId));
      expect(await check()).toMatchObject({ status: 'ok' });
      expect((await harness.source()).lastCheck?.id).not.toBe(earlier);
    });
  });

  it('get their credentials encrypted anew with the newest key, and again from where that stopped', async () => {
    const key = `new:${randomBytes(32).toString('base64')}`;
    const stored = async (id: string) => test.database.read((manager) => readCredentials(manager, id));
    const before = await stored(harness.sourceId);
    // The other tests' sources have keys of their own, which this installation doesn't know.
    const others = await test.database.read((manager) =>
      manager.query<unknown[]>('SELECT 1 FROM source_connectors WHERE id <> $1 AND credentials IS NOT NULL', [
        harness.sourceId,
      ]),
    );
    expect(others.length).toBeGreaterThan(0);
    const oldKey = harness.keys;
    const cipher = new CredentialCipher(`${key},${oldKey}`);
    expect(await rotateCredentials(test.database, cipher)).toEqual({ rotated: 1, unreadable: others.length });
    expect(await rotateCredentials(test.database, cipher)).toEqual({ rotated: 0, unreadable: others.length });
    const after = await stored(harness.sourceId);
    const source = await test.database.read((manager) => findSourceById(manager, harness.sourceId));
    if (!after || !source) throw new Error('no credentials');
    expect(after.keyId).toBe('new');
    expect(after.ciphertext).not.toEqual(before?.ciphertext);
    expect(new CredentialCipher(key).open(after, credentialOwner(source))).toBe('{"token":"planted-token"}');
  });
});
