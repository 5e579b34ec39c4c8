import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PromoteGenerationPayload } from '@candor/contracts';
import { EmbedderRegistry } from '@candor/embeddings';
import { GenerationEntity } from '@candor/persistence';
import { buildDocument, createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { createLanceDbIndex } from '@candor/search-index/write';
import { GenerationHarness, never } from './features/build-generation/testing/generation-harness.js';
import { toIndex } from './features/index-item/live-generations.service.js';
import { rebuildIndices, type RebuildOptions } from './rebuild-indices.js';

const server = testServerUrl(process.env);

(server === null ? describe.skip : describe)('rebuilding lost indices', () => {
  let test: TestDatabase;
  let directory: string;
  let index: ReturnType<typeof createLanceDbIndex>;
  let embedders: EmbedderRegistry;
  let tenants: GenerationHarness[];

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    directory = await mkdtemp(join(tmpdir(), 'candor-rebuild-'));
    index = createLanceDbIndex({ directory });
    embedders = await EmbedderRegistry.open({ configured: { kind: 'hashing', dimensions: 16 } });
  });
  afterAll(async () => {
    await Promise.allSettled([embedders.close(), index.reader.close(), index.writer.close()]);
    await rm(directory, { recursive: true, force: true });
    await test.drop();
  });
  beforeEach(async () => {
    await test.database.read((manager) => manager.query('TRUNCATE generations CASCADE'));
    tenants = [];
    for (const text of ['We ship on Monday.', 'We rest on Sunday.', 'We meet on Friday.']) {
      const tenant = await GenerationHarness.create(test.database, index, embedders);
      await tenant.generations.announce();
      await tenant.add(buildDocument({ externalId: 'one', title: 'Plan', body: text }));
      tenants.push(tenant);
    }
  });

  const lose = async (tenant: GenerationHarness): Promise<void> =>
    index.writer.dropIndex(toIndex(await tenant.live()).address);
  const textsOf = async (tenant: GenerationHarness): Promise<string[]> =>
    (await tenant.chunks((await tenant.live()).id)).map(({ content }) => content);

  /** Does the jobs of all tenants, as workers would, until the command has ended. */
  async function rebuild(options: RebuildOptions = {}): ReturnType<typeof rebuildIndices> {
    let isOver = false;
    const command = rebuildIndices(test.database, index.writer, { pollMs: 5, ...options }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await delay(5);
      for (const tenant of tenants) await runJobs(tenant);
    }
    return command;
  }

  async function runJobs(tenant: GenerationHarness): Promise<void> {
    const rows = await test.database.read((manager) => manager.findBy(GenerationEntity, { tenantId: tenant.tenantId }));
    for (const { id, tenantId, work, promotion } of rows) {
      if (work === 'build') await tenant.building.run(await tenant.nextWork(id), 'build', never);
      if (promotion?.outcome !== null || !promotion) continue;
      const { runId, requestId } = promotion;
      const job = { tenantId, generationId: id, runId, requestId } as PromoteGenerationPayload;
      await tenant.promoting.promote(job, never);
    }
  }

  it('builds and promotes those of all tenants that have none, and leaves the others alone', async () => {
    const [first, second, third] = tenants as [GenerationHarness, GenerationHarness, GenerationHarness];
    const kept = await second.live();
    await lose(first);
    await lose(third);
    const ended: string[] = [];
    const result = await rebuild({ onEnd: ({ tenantId }) => ended.push(tenantId) });
    expect(result).toEqual({ whole: 1, rebuilt: 2, failed: 0 });
    expect(ended.sort()).toEqual([first.tenantId, third.tenantId].sort());
    expect(await textsOf(first)).toEqual(['We ship on Monday.']);
    expect(await textsOf(third)).toEqual(['We meet on Friday.']);
    expect(await second.live()).toEqual(kept);
    const lost = await first.query<{ status: string }>(
      'SELECT status FROM generations WHERE tenant_id = $1 ORDER BY number',
      [first.tenantId],
    );
    expect(lost).toEqual([{ status: 'retiring' }, { status: 'live' }]);
    expect(await rebuild()).toEqual({ whole: 3, rebuilt: 0, failed: 0 });
  });

  it('goes on with a build that is there, and gives one up that is lost as well', async () => {
    const [first, second] = tenants as [GenerationHarness, GenerationHarness];
    const waiting = await first.build();
    await lose(first);
    const ready = await second.build();
    await lose(second);
    await index.writer.dropIndex(toIndex(await second.load(ready)).address);
    expect(await rebuild()).toEqual({ whole: 1, rebuilt: 2, failed: 0 });
    expect((await first.live()).id).toBe(waiting);
    expect((await second.live()).id).not.toBe(ready);
    expect(await textsOf(second)).toEqual(['We rest on Sunday.']);
  });

  it('says whom it could not help, and goes on with the others', async () => {
    const [first, second] = tenants as [GenerationHarness, GenerationHarness];
    await lose(first);
    await lose(second);
    await test.database.read((manager) =>
      manager.query(
        `UPDATE generations SET recipe = jsonb_set(recipe, '{embedding,model}', '"gone"') WHERE tenant_id = $1`,
        [first.tenantId],
      ),
    );
    const fail = async (): Promise<void> => {
      await delay(200);
      await test.database.read((manager) =>
        manager.query(
          `UPDATE generations SET status = 'failed', work = NULL, error_message = 'No such model.'
           WHERE tenant_id = $1 AND requested_model = 'gone'`,
          [first.tenantId],
        ),
      );
    };
    const errors: unknown[] = [];
    tenants = [second];
    const [result] = await Promise.all([rebuild({ onEnd: (end) => errors.push(end.error) }), fail()]);
    expect(result).toEqual({ whole: 1, rebuilt: 1, failed: 1 });
    expect(errors).toContain('No such model.');
  });

  it('puts no empty index in the place of a lost one: what comes waits', async () => {
    const [tenant] = tenants as [GenerationHarness];
    const restarted = tenant.restart(embedders);
    await lose(tenant);
    const item = await tenant.accept(buildDocument({ externalId: 'two', title: 'Plan', body: 'We sing.' }));
    await tenant.extract(item);
    for (const worker of [tenant, restarted]) {
      await expect(worker.index(item)).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE', retryable: true });
      expect(await index.writer.hasIndex(toIndex(await tenant.live()).address)).toBe(false);
    }
    const generation = { id: (await tenant.live()).id, tenantId: tenant.tenantId, requestId: randomUUID() };
    await expect(tenant.reconcile(generation.id)).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE' });
    await tenant.query(`UPDATE generations SET work = NULL WHERE id = $1`, [generation.id]);
    await rebuild();
    await tenant.index(item);
    expect((await textsOf(tenant)).sort()).toEqual(['We ship on Monday.', 'We sing.']);
  });
});
