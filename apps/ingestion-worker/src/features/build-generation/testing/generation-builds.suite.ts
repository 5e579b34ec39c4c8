import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { EmbedderRegistry, HashingEmbedder } from '@candor/embeddings';
import { corpusFingerprintOf, GenerationEntity, resendStalledWork } from '@candor/persistence';
import { buildDocument, createTestDatabase, type TestDatabase } from '@candor/persistence/testing';
import type { SearchIndexReader } from '@candor/search-index';
import type { SearchIndexWriter } from '@candor/search-index/write';
import { toIndex } from '../../index-item/live-generations.service.js';
import { passageText } from '../../index-item/to-chunk-document.js';
import { GenerationHarness, never } from './generation-harness.js';
import { testStrayVersions } from './stray-versions.suite.js';

interface RealIndex {
  reader: SearchIndexReader;
  writer: SearchIndexWriter;
}

/** The worker's part in generations, over a real database and the given real index. */
export function describeGenerationBuilds(
  server: string,
  openIndex: () => Promise<RealIndex>,
  removeIndex: () => Promise<void>,
): void {
  let test: TestDatabase;
  let index: RealIndex;
  let first: EmbedderRegistry;
  let second: EmbedderRegistry;
  /** The worker of before, and the same after a restart with another model. */
  let before: GenerationHarness;
  let worker: GenerationHarness;

  beforeAll(async () => {
    test = await createTestDatabase(server);
    index = await openIndex();
    first = await EmbedderRegistry.open({ configured: { kind: 'hashing', dimensions: 16 } });
    second = await EmbedderRegistry.open({ configured: { kind: 'hashing', dimensions: 24 } });
  });
  afterAll(async () => {
    for (const generation of await test.database.read((manager) => manager.find(GenerationEntity)))
      await index.writer.dropIndex(toIndex(generation).address);
    await Promise.allSettled([first.close(), second.close(), index.reader.close(), index.writer.close()]);
    await removeIndex();
    await test.drop();
  });
  beforeEach(async () => {
    before = await GenerationHarness.create(test.database, index, first);
    await before.generations.announce();
    worker = before.restart(second);
    jest.restoreAllMocks();
  });

  const plan = (externalId: string, body: string) => buildDocument({ externalId, title: 'Plan', body });

  /** That every vector is the one its generation's own model gives. */
  async function expectOwnVectors(id: string, dimensions: number): Promise<void> {
    const model = new HashingEmbedder({ dimensions });
    const chunks = await worker.chunks(id);
    expect(chunks.length).toBeGreaterThan(0);
    for (const { chunkId, title, content, sectionPath } of chunks) {
      const node = { start: 0, end: content.length, sectionPath } as unknown as Parameters<typeof passageText>[1];
      const [expected] = await model.embedPassages([passageText(title, node, content)]);
      const found = (await worker.candidates(id, expected!)).find(({ chunk }) => chunk.chunkId === chunkId);
      expect(found?.cosine).toBeCloseTo(1, 5);
    }
  }

  it('goes on with the model of the live index after another one was configured, and says so', async () => {
    const old = await before.add(plan('one', 'We ship on Monday.'));
    await worker.generations.announce();
    const newer = await worker.add(plan('two', 'We rest on Sunday.'));
    const live = await worker.live();
    expect(live).toMatchObject({
      number: 1,
      name: expect.stringMatching(/^chunks-hashing-\d-1$/),
      recipe: before.generations.recipe,
    });
    expect((await worker.chunks(live.id)).map((chunk) => chunk.itemId).sort()).toEqual(
      [old.itemId, newer.itemId].sort(),
    );
    await expectOwnVectors(live.id, 16);
    const [configured] = await worker.query<{ fingerprint: string }>(
      'SELECT fingerprint FROM configured_recipes ORDER BY configured_at DESC LIMIT 1',
    );
    expect(configured?.fingerprint).toBe(worker.generations.fingerprint);
    expect(live.pipelineFingerprint).not.toBe(worker.generations.fingerprint);
  });

  it('refuses to start only when the model of an index can’t be opened', async () => {
    await before.add(plan('one', 'We ship on Monday.'));
    const live = await before.live();
    const embedding = { ...live.recipe?.embedding, revision: 'of other weights' };
    await worker.query('UPDATE generations SET recipe = $2, pipeline_fingerprint = $3 WHERE id = $1', [
      live.id,
      JSON.stringify({ ...live.recipe, embedding }),
      'other',
    ]);
    await expect(worker.generations.announce()).rejects.toMatchObject({ code: 'EMBEDDINGS.PROFILE_MISMATCH' });
    const local = { ...embedding, provider: 'onnx', model: 'bge-small-en-v1.5-q' };
    const elsewhere = { configured: { kind: 'hashing', dimensions: 24 }, modelsDirectory: '/no/such/folder' } as const;
    const registry = await EmbedderRegistry.open(elsewhere);
    await worker.query('UPDATE generations SET recipe = $2 WHERE id = $1', [
      live.id,
      JSON.stringify({ ...live.recipe, embedding: local }),
    ]);
    await expect(worker.restart(registry).generations.announce()).rejects.toMatchObject({
      code: 'EMBEDDINGS.PROFILE_MISMATCH',
      message: expect.stringContaining('CANDOR_MODELS_DIR'),
    });
    await registry.close();
    await worker.query('UPDATE generations SET recipe = NULL WHERE id = $1', [live.id]);
    await expect(worker.generations.announce()).rejects.toMatchObject({ code: 'EMBEDDINGS.PROFILE_MISMATCH' });
    await worker.query(`DELETE FROM generations WHERE id = $1`, [live.id]);
  });

  it('builds a generation beside the live one, with its past, and puts it in its place', async () => {
    const long = Array.from({ length: 40 }, (_, line) => `Line ${line} says that we ship on Monday again.`).join(
      '\n\n',
    );
    const { itemId } = await before.add(plan('long', long));
    const { recordedAt } = await versionOf(itemId, 1);
    await before.add(plan('long', 'Now it is short.'));
    await before.add(plan('other', 'We rest on Sunday.'));
    const live = await before.live();

    const id = await worker.build();
    const built = await worker.view(id);
    expect(built).toMatchObject({
      status: 'ready',
      name: expect.stringMatching(/^chunks-hashing-\d-2$/),
      itemsDone: 2,
      itemsTotal: 2,
      workItems: 2,
    });
    expect(corpusFingerprintOf(built)).toBe(corpusFingerprintOf(await worker.view(live.id)));
    await expectOwnVectors(id, 24);
    expect((await worker.live()).id).toBe(live.id);

    const texts = async (generation: string, at?: string) =>
      (await worker.chunks(generation, at)).map((chunk) => [chunk.itemId, chunk.version, chunk.content, chunk.level]);
    expect(await texts(id)).toEqual(await texts(live.id));
    const then = recordedAt.toISOString();
    expect((await texts(id, then)).length).toBeGreaterThan(1);
    expect(await texts(id, then)).toEqual(await texts(live.id, then));

    expect(await worker.promote(id)).toMatchObject({ status: 'live', promotion: { outcome: 'promoted' } });
    expect((await worker.load(live.id)).status).toBe('previous');
    const actions = await worker.query<{ action: string }>(
      `SELECT action FROM audit_events WHERE target_id = $1 ORDER BY sequence`,
      [id],
    );
    expect(actions.map(({ action }) => action)).toEqual(['generation.built', 'generation.promote']);
  });

  async function versionOf(itemId: string, version: number): Promise<{ recordedAt: Date }> {
    const [row] = await worker.query<{ recorded_at: Date }>(
      'SELECT recorded_at FROM item_versions WHERE item_id = $1 AND version = $2',
      [itemId, version],
    );
    if (!row) throw new Error('no such version');
    return { recordedAt: row.recorded_at };
  }

  it('writes what changes meanwhile to both, before and after the swap, and rolls back', async () => {
    const kept = await before.add(plan('kept', 'It stays.'));
    const edited = await before.add(plan('edited', 'It was so.'));
    const deleted = await before.add(plan('deleted', 'It goes.'));
    const live = await before.live();
    const id = await worker.build();

    const added = await worker.add(plan('added', 'It is new.'));
    await worker.add(plan('edited', 'It is otherwise.'));
    await worker.delete(deleted);
    for (const generation of [live.id, id]) {
      const chunks = await worker.chunks(generation);
      expect(chunks.map(({ itemId, version }) => [itemId, version])).toEqual(
        [
          [kept.itemId, 1],
          [edited.itemId, 2],
          [added.itemId, 1],
        ].sort(([a], [b]) => String(a).localeCompare(String(b))),
      );
      expect(await worker.countItem(await worker.load(generation), deleted)).toBe(0);
    }
    expect(await worker.promote(id)).toMatchObject({ status: 'live' });

    const later = await worker.add(plan('later', 'It is newer still.'));
    await expectOwnVectors(live.id, 16);
    await expectOwnVectors(id, 24);
    for (const generation of [live, await worker.load(id)]) expect(await worker.countItem(generation, later)).toBe(1);
    const [one, two] = [await worker.view(live.id), await worker.view(id)];
    expect(corpusFingerprintOf(one)).toBe(corpusFingerprintOf(two));

    expect(await worker.promote(live.id)).toMatchObject({ status: 'live' });
    expect(await worker.load(id)).toMatchObject({ status: 'previous' });
  });

  it('brings a change of access and title to both', async () => {
    const document = plan('moved', 'It is for all.');
    const item = await before.add(document);
    const id = await worker.build();
    await worker.accept({
      ...document,
      title: 'Secret plan',
      accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:a@x.org'] },
    });
    await worker.refreshing.refresh(worker.job(item));
    for (const generation of [(await worker.live()).id, id])
      expect(await worker.chunks(generation)).toEqual([
        expect.objectContaining({ title: 'Secret plan', accessMode: 'acl', principals: ['user:a@x.org'] }),
      ]);
  });

  it('goes on where a killed worker was, and only once', async () => {
    for (let number = 0; number < 5; number += 1) await before.add(plan(`item-${number}`, `Item ${number}.`));
    const id = await worker.create();
    const job = await worker.nextWork(id);
    const broken = new AppError('DEPENDENCY.INDEX_UNAVAILABLE');
    const apply = jest.spyOn(index.writer, 'apply').mockRejectedValueOnce(broken);
    await expect(worker.building.run(job, 'build', never)).rejects.toBe(broken);
    expect(await worker.view(id)).toMatchObject({ status: 'building', itemsDone: 0 });
    apply.mockRestore();

    // As if Redis had lost the job: another worker takes over, and the first one’s job is not run again.
    await worker.query(`DELETE FROM outbox WHERE tenant_id = $1`, [worker.tenantId]);
    await worker.query(`UPDATE generations SET work_lease_until = now() - interval '1 second' WHERE id = $1`, [id]);
    expect(await worker.database.transaction((transaction) => resendStalledWork(transaction, 10))).toBe(1);
    await worker.building.run(job, 'build', never);
    expect(await worker.view(id)).toMatchObject({ status: 'building', itemsDone: 0 });
    expect(await worker.work(id)).toMatchObject({ status: 'ready', itemsDone: 5 });
  });

  it('never brings a deleted item back, whenever the delete comes', async () => {
    const item = await before.add(plan('doomed', 'It goes.'));
    await before.add(plan('kept', 'It stays.'));
    const generation = await worker.load(await worker.build());
    const target = toIndex(generation);
    await worker.writer.apply(target.address, [{ kind: 'delete-item', itemId: item.itemId }]);

    let deleting: Promise<void> | undefined;
    const apply = index.writer.apply.bind(index.writer);
    // The delete comes while the item is being written, and has more than enough time to end before it.
    jest.spyOn(index.writer, 'apply').mockImplementation(async (address, operations) => {
      if (!deleting && operations.some((each) => each.kind === 'put-version')) {
        deleting = before.delete(item);
        await Promise.race([deleting, delay(2_000)]);
      }
      await apply(address, operations);
    });
    expect(await worker.rebuilding.rebuild(target, [item.itemId], never)).toBe(1);
    await deleting;
    expect(deleting).toBeDefined();
    expect(await worker.countItem(generation, item)).toBe(0);
    expect(await worker.view(generation.id)).toMatchObject({ itemsDone: 1, itemsTotal: 1 });
    // And one that read the item before its delete finds it gone.
    expect(await worker.rebuilding.rebuild(target, [item.itemId], never)).toBe(0);
    expect(await worker.countItem(generation, item)).toBe(0);
  });

  it('does not overwrite a version that came while the older one was being built', async () => {
    const document = plan('raced', 'It was so.');
    const { itemId } = await before.add(document);
    const id = await worker.create();
    const embed = jest.spyOn(second.configured, 'embedPassages');
    embed.mockImplementationOnce(async (texts) => {
      embed.mockRestore();
      const vectors = await second.configured.embedPassages(texts);
      await worker.add(plan('raced', 'It is otherwise.'));
      return vectors;
    });
    await worker.work(id);
    const chunks = await worker.chunks(id);
    expect(chunks.map(({ version, content }) => [version, content])).toEqual([[2, 'It is otherwise.']]);
    const { recordedAt } = await versionOf(itemId, 1);
    expect((await worker.chunks(id, recordedAt.toISOString())).map(({ version }) => version)).toEqual([1]);
  });

  it('keeps the live index going when one beside it can’t be written, and catches up', async () => {
    await before.add(plan('one', 'First.'));
    const id = await worker.build();
    const name = (await worker.load(id)).name;
    const apply = index.writer.apply.bind(index.writer);
    const spy = jest.spyOn(index.writer, 'apply').mockImplementation(async (address, operations) => {
      if (address.generation === name) throw new AppError('INTERNAL.UNEXPECTED');
      await apply(address, operations);
    });
    const item = await worker.add(plan('two', 'Second.'));
    spy.mockRestore();
    expect(await worker.countItem(await worker.live(), item)).toBe(1);
    expect(await worker.view(id)).toMatchObject({ itemsDone: 1, itemsTotal: 2 });
    expect(await worker.promote(id)).toMatchObject({
      status: 'ready',
      promotion: { outcome: 'refused', errorType: 'GENERATION.INCOMPLETE' },
    });
    // Wanted by itself.
    await worker.work(id, 'reconcile');
    expect(await worker.countItem(await worker.load(id), item)).toBe(1);
    expect(await worker.promote(id)).toMatchObject({ status: 'live' });
  });

  it('starts an item again that was written to the old index alone while the swap came', async () => {
    await before.add(plan('one', 'First.'));
    const id = await worker.create();
    const late = await worker.accept(plan('two', 'Second.'));
    await worker.extract(late);
    // It knows of no build yet.
    await worker.generations.writable(worker.tenantId);
    const known = worker.generations.writable(worker.tenantId);
    const writable = jest.spyOn(worker.generations, 'writable').mockReturnValueOnce(known);
    await worker.work(id);
    await worker.promote(id);
    await expect(worker.index(late)).rejects.toMatchObject({ code: 'GENERATION.CHANGED', retryable: true });
    writable.mockRestore();
    await worker.index(late);
    expect(await worker.countItem(await worker.load(id), late)).toBe(1);
  });

  it('starts an item again that was written before a build was known of, and ended', async () => {
    await before.add(plan('one', 'First.'));
    const late = await worker.accept(plan('two', 'Second.'));
    await worker.extract(late);
    const known = worker.generations.writable(worker.tenantId);
    await known;
    const id = await worker.build();
    jest.spyOn(worker.generations, 'writable').mockReturnValueOnce(known);
    await expect(worker.index(late)).rejects.toMatchObject({ code: 'GENERATION.CHANGED', retryable: true });
    await worker.index(late);
    expect(await worker.countItem(await worker.load(id), late)).toBe(1);
    expect(await worker.view(id)).toMatchObject({ itemsDone: 2, itemsTotal: 2 });
  });

  it('refuses what is missing from the index itself, and what is mapped otherwise', async () => {
    const item = await before.add(plan('one', 'First.'));
    await before.add(plan('two', 'Second.'));
    const id = await worker.build();
    const { address } = toIndex(await worker.load(id));
    await worker.writer.apply(address, [{ kind: 'delete-item', itemId: item.itemId }]);
    // Changed long ago, for all that the comparison knows.
    expect(await worker.promote(id)).toMatchObject({
      status: 'ready',
      promotion: {
        outcome: 'refused',
        errorType: 'GENERATION.INCOMPLETE',
        errorMessage: expect.stringContaining('1 items'),
      },
    });
    await worker.writer.dropIndex(address);
    expect(await worker.promote(id)).toMatchObject({
      promotion: {
        outcome: 'refused',
        errorType: 'GENERATION.MAPPING_DRIFT',
        errorMessage: expect.stringContaining('does not exist'),
      },
    });
    await worker.writer.ensureIndex(address, 8);
    expect(await worker.promote(id)).toMatchObject({
      promotion: {
        outcome: 'refused',
        errorType: 'GENERATION.MAPPING_DRIFT',
        errorMessage: expect.stringContaining('vector'),
      },
    });
    expect((await worker.live()).id).not.toBe(id);
  });

  it('finds and repairs what differs between the live index and the database', async () => {
    const missing = await before.add(plan('missing', 'It was lost.'));
    const outdated = await before.add(plan('outdated', 'It was so.'));
    const old = await before.chunks((await before.live()).id);
    await before.add(plan('outdated', 'It is otherwise.'));
    const live = await before.live();
    const { address } = toIndex(live);
    const [found] = old.filter((chunk) => chunk.itemId === outdated.itemId);
    if (!found) throw new Error('no chunk');
    const ghost = { ...found, vector: new Float32Array(16).fill(0.25) };
    const ghostId = '00000000-0000-4000-8000-00000000dead';
    await before.writer.apply(address, [
      { kind: 'delete-item', itemId: missing.itemId },
      { kind: 'delete-item', itemId: outdated.itemId },
    ]);
    await before.writer.apply(address, [
      { kind: 'put-version', itemId: outdated.itemId, version: 1, recordedAt: ghost.recordedAt, chunks: [ghost] },
      {
        kind: 'put-version',
        itemId: ghostId,
        version: 1,
        recordedAt: ghost.recordedAt,
        chunks: [{ ...ghost, itemId: ghostId, chunkId: '00000000-0000-4000-8000-00000000beef' }],
      },
    ]);
    expect(await worker.reconcile(live.id)).toMatchObject({
      status: 'live',
      report: { missing: 1, outdated: 1, dangling: 1 },
      reconciledAt: expect.any(Date),
    });
    expect((await worker.chunks(live.id)).map(({ itemId, version }) => [itemId, version])).toEqual(
      [
        [missing.itemId, 1],
        [outdated.itemId, 2],
      ].sort(([a], [b]) => String(a).localeCompare(String(b))),
    );
    await expectOwnVectors(live.id, 16);
    // Nothing is left to repair.
    expect(await worker.reconcile(live.id)).toMatchObject({ report: null });
  });

  testStrayVersions(() => ({ before, worker }), plan);

  it('keeps what a delete job names that nobody deleted', async () => {
    const item = await before.add(plan('one', 'First.'));
    const { address } = toIndex(await before.live());
    await before.deleting.delete(before.job(item));
    expect(await before.writer.countItem(address, item.itemId)).toBe(1);
    await before.delete(item);
    expect(await before.writer.countItem(address, item.itemId)).toBe(0);
  });

  it('is given up with its index, and what is under way for it ends', async () => {
    const item = await before.add(plan('one', 'First.'));
    const id = await worker.build();
    const { address } = toIndex(await worker.load(id));
    expect(await worker.retire((await worker.live()).id)).toBe(false);
    expect(await worker.retire(id)).toBe(true);
    expect(await worker.load(id)).toMatchObject({ status: 'retired' });
    expect(await worker.writer.findDrift(address, 24)).toContainEqual(expect.stringContaining('does not exist'));
    await worker.building.run(await worker.nextWork(id), 'build', never);
    await worker.delete(item);
    expect(await worker.build()).not.toBe(id);
  });

  it('fails with the reason when its model can’t be opened', async () => {
    const id = await worker.create('no-such-model');
    await expect(worker.building.run(await worker.nextWork(id), 'build', never)).rejects.toMatchObject({
      code: 'CONFIG.INVALID',
      retryable: false,
    });
  });
}
