import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { EmbedderRegistry } from '@candor/embeddings';
import { corpusFingerprintOf } from '@candor/persistence';
import { buildDocument, createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { createLanceDbIndex } from '@candor/search-index';
import { GenerationHarness, type IndexedItem } from '../build-generation/testing/generation-harness.js';

jest.setTimeout(60_000);

const server = testServerUrl(process.env);

/** What the jobs of items leave behind when they come twice, late, or while the index is away. */
(server === null ? describe.skip : describe)('jobs of items', () => {
  let test: TestDatabase;
  let directory: string;
  let index: ReturnType<typeof createLanceDbIndex>;
  let embedders: EmbedderRegistry;
  let worker: GenerationHarness;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    directory = await mkdtemp(join(tmpdir(), 'candor-item-jobs-'));
    index = createLanceDbIndex({ directory });
    embedders = await EmbedderRegistry.open({ configured: { kind: 'hashing', dimensions: 16 } });
  });
  afterAll(async () => {
    await Promise.allSettled([embedders.close(), index.reader.close(), index.writer.close()]);
    await rm(directory, { recursive: true, force: true });
    await test.drop();
  });
  beforeEach(async () => {
    jest.restoreAllMocks();
    worker = await GenerationHarness.create(test.database, index, embedders);
    await worker.generations.announce();
  });

  const plan = (body: string) => buildDocument({ externalId: 'plan', title: 'Plan', body });
  const contents = async (): Promise<[number, string][]> =>
    (await worker.chunks((await worker.live()).id)).map(({ version, content }) => [version, content]);
  const stateOf = async ({ itemId, version }: IndexedItem): Promise<string | undefined> => {
    const [row] = await worker.query<{ state: string }>(
      'SELECT state FROM item_versions WHERE item_id = $1 AND version = $2',
      [itemId, version],
    );
    return row?.state;
  };
  const actionsOf = async ({ itemId }: IndexedItem): Promise<string[]> => {
    const rows = await worker.query<{ action: string }>(
      'SELECT action FROM audit_events WHERE target_id = $1 ORDER BY sequence',
      [itemId],
    );
    return rows.map(({ action }) => action);
  };

  const corpus = async (): Promise<string | null> => corpusFingerprintOf(await worker.view((await worker.live()).id));

  it('change nothing when they run twice: same chunks, same versions, one event a transition', async () => {
    const item = await worker.accept(plan('We ship on Monday.'));
    await worker.extract(item);
    await Promise.all([worker.index(item), worker.index(item)]);
    const before = [await contents(), await corpus()];
    await worker.index(item);
    await worker.refreshing.refresh(worker.job(item));
    await worker.refreshing.refresh(worker.job(item));
    await expect(worker.extract(item)).rejects.toThrow('not to be extracted');
    expect(before[0]).toEqual([[1, 'We ship on Monday.']]);
    expect([await contents(), await corpus()]).toEqual(before);
    expect(await actionsOf(item)).toEqual(['item.index']);

    await worker.tombstone(item);
    await worker.deleting.delete(worker.job(item));
    await worker.deleting.delete(worker.job(item));
    expect(await actionsOf(item)).toEqual(['item.index', 'item.deleted']);
  });

  it('make a tenant’s live generation known only when its index is there', async () => {
    const item = await worker.accept(plan('We ship on Monday.'));
    await worker.extract(item);
    const known: number[] = [];
    const create = jest.spyOn(index.writer, 'ensureIndex').mockImplementation(async () => {
      known.push((await worker.query('SELECT 1 FROM generations WHERE tenant_id = $1', [worker.tenantId])).length);
      throw new AppError('DEPENDENCY.INDEX_UNAVAILABLE');
    });
    await expect(worker.index(item)).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE' });
    expect(known).toEqual([0]);
    create.mockRestore();
    await worker.index(item);
    expect(await contents()).toEqual([[1, 'We ship on Monday.']]);
  });

  it('end without an effect when their item was deleted before they came', async () => {
    const item = await worker.accept(plan('We ship on Monday.'));
    await worker.extract(item);
    await worker.delete(item);
    await worker.index(item);
    await expect(worker.extract(item)).rejects.toThrow('not to be extracted');
    expect(await worker.countItem(await worker.live(), item)).toBe(0);
    expect(await actionsOf(item)).toEqual(['item.deleted']);
  });

  it('end as superseded when a newer version was there first', async () => {
    const first = await worker.accept(plan('We ship on Monday.'));
    await worker.extract(first);
    const second = await worker.add(plan('We ship on Tuesday.'));
    await worker.index(first);
    expect(await stateOf(first)).toBe('superseded');
    expect(await stateOf(second)).toBe('indexed');
    expect(await contents()).toEqual([[2, 'We ship on Tuesday.']]);
  });

  it('read pushed text on its way to the index, and store it with the commit that makes it live', async () => {
    const item = await worker.accept(plan('\ufeffWe ship on Monday.\r\nSee https://plans.example/ship.'));
    const textOf = () =>
      worker.query('SELECT state, text, error_type FROM item_versions WHERE item_id = $1', [item.itemId]);
    const refuse = jest
      .spyOn(index.writer, 'apply')
      .mockRejectedValueOnce(new AppError('DEPENDENCY.INDEX_UNAVAILABLE'));
    await expect(worker.index(item)).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE' });
    expect(await textOf()).toMatchObject([{ state: 'indexing', text: null }]);
    refuse.mockRestore();
    await worker.index(item);
    const text = 'We ship on Monday.\nSee https://plans.example/ship.';
    expect(await textOf()).toEqual([{ state: 'indexed', text, error_type: null }]);
    expect(await contents()).toEqual([[1, text]]);
    expect(await worker.query('SELECT target FROM item_relations WHERE item_id = $1', [item.itemId])).toEqual([
      { target: 'https://plans.example/ship' },
    ]);
    const empty = await worker.accept(buildDocument({ body: '<p> </p>', mimeType: 'text/html' }));
    await expect(worker.index(empty)).rejects.toMatchObject({ code: 'EXTRACT.EMPTY', retryable: false });
  });

  /** Lets a version's write begin only when told. */
  function holdWrites() {
    const apply = index.writer.apply.bind(index.writer);
    const gates = new Map([1, 2].map((version) => [version, { arrival: createGate(), release: createGate() }]));
    const kinds: string[] = [];
    jest.spyOn(index.writer, 'apply').mockImplementation(async (address, operations) => {
      for (const operation of operations) {
        kinds.push(operation.kind);
        const gate = operation.kind === 'put-version' ? gates.get(operation.version) : undefined;
        gate?.arrival.open();
        await gate?.release.opened;
      }
      await apply(address, operations);
    });
    return {
      kinds,
      release: (version: number) => gates.get(version)?.release.open(),
      arrived: (version: number) => gates.get(version)?.arrival.opened,
    };
  }

  it.each([
    ['the older one', [1, 2], [1, 2]],
    ['the newer one', [2, 1], [2]],
  ] as const)(
    'leave the newest version alone in the index when two are written at once and %s ends first',
    async (_which, order, live) => {
      const first = await worker.accept(plan('We ship on Monday.'));
      // Its index exists: what is held are the versions' own writes.
      await worker.generations.of(worker.tenantId);
      const writes = holdWrites();
      const older = worker.index(first);
      await writes.arrived(1);
      const second = await worker.accept(plan('We ship on Tuesday.'));
      const newer = worker.index(second);
      await writes.arrived(2);
      const jobs = new Map([
        [1, older],
        [2, newer],
      ]);
      for (const version of order) {
        writes.release(version);
        await jobs.get(version);
      }
      expect(await contents()).toEqual([[2, 'We ship on Tuesday.']]);
      // Neither saw the other: whoever ended last put it right.
      expect(writes.kinds).toContain('settle-version');
      expect(await stateOf(second)).toBe('indexed');
      expect((await actionsOf(second)).filter((action) => action === 'item.index')).toHaveLength(live.length);
    },
  );

  it('are parked, not failed, while the index is away, and neither extract nor embed again', async () => {
    const item = await worker.accept(plan('We ship on Monday.'));
    await worker.extract(item);
    const away = new AppError('DEPENDENCY.INDEX_UNAVAILABLE');
    const ping = jest.spyOn(index.writer, 'ping').mockRejectedValue(away);
    const open = jest.spyOn(embedders, 'use');
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(worker.index(item)).rejects.toMatchObject({ code: away.code, retryable: true });
    expect(await stateOf(item)).toBe('indexing');
    expect(await contents()).toEqual([]);
    expect(open).not.toHaveBeenCalled();
    ping.mockRestore();
    await worker.index(item);
    expect(await stateOf(item)).toBe('indexed');
    expect(await contents()).toEqual([[1, 'We ship on Monday.']]);
  });

  it('certify a delete only when a count by item id is 0', async () => {
    const item = await worker.add(plan('We ship on Monday.'));
    await worker.tombstone(item);
    const left = jest.spyOn(index.writer, 'countItem').mockResolvedValue(1);
    await expect(worker.deleting.delete(worker.job(item))).rejects.toMatchObject({
      code: 'DEPENDENCY.INDEX_UNAVAILABLE',
      message: '1 chunks are still in the index.',
    });
    expect(await actionsOf(item)).toEqual(['item.index']);
    left.mockRestore();
    await worker.deleting.delete(worker.job(item));
    expect(await actionsOf(item)).toEqual(['item.index', 'item.deleted']);
    expect(await worker.countItem(await worker.live(), item)).toBe(0);
  });
});

function createGate(): { open: () => void; opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}
