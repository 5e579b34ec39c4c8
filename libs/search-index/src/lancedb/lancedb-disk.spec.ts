import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { buildChunk, DIMENSIONS, openFilter, putVersion, unitVector } from '../conformance/chunk-builder.js';
import { asFound, IndexFixture } from '../conformance/index-fixture.js';
import { createLanceDbReader } from '../read.js';
import { createLanceDbWriter } from '../write.js';
import { createLanceDbIndex } from './create-lancedb-index.js';
import { LanceDbStore } from './lancedb-store.js';

jest.setTimeout(60_000);

describe('LanceDB on disk', () => {
  let directory = '';
  let fixture: IndexFixture;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'candor-disk-'));
    fixture = await new IndexFixture(createLanceDbIndex({ directory })).create();
  });
  afterEach(async () => {
    await fixture.index.reader.close();
    await fixture.index.writer.close();
    await rm(directory, { recursive: true, force: true });
  });

  async function filesWith(text: string): Promise<string[]> {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const contents = await Promise.all(files.map(async (file) => [file, await readFile(file)] as const));
    return contents.filter(([, bytes]) => bytes.includes(text)).map(([file]) => file);
  }

  it('has nothing left of an item once its count is 0', async () => {
    const secret = 'zq7xsecret';
    const others = Array.from({ length: 300 }, () => buildChunk(fixture.tenantId));
    await fixture.apply(...others.map((chunk) => putVersion(chunk)));
    const first = buildChunk(fixture.tenantId, { itemId: secret, content: secret, title: secret });
    await fixture.apply(putVersion(first));
    await fixture.apply(putVersion({ ...first, chunkId: randomUUID(), version: 2 }));
    expect(await filesWith(secret)).not.toEqual([]);
    await fixture.apply({ kind: 'delete-item', itemId: secret });
    expect(await filesWith(secret)).not.toEqual([]);
    expect(await fixture.index.writer.countItem(fixture.address, secret)).toBe(0);
    expect(await filesWith(secret)).toEqual([]);
    expect(await fixture.versions()).toHaveLength(others.length);
    expect(await fixture.find({ text: 'plain', k: 10 })).not.toEqual([]);
  });

  it('lets searches through while another waits for its embedding, also when somebody compacts', async () => {
    await fixture.apply(putVersion(buildChunk(fixture.tenantId)));
    let embed = (_vector: Float32Array): void => {};
    const slow = fixture.search({ vector: new Promise<Float32Array>((resolve) => (embed = resolve)) });
    const store = LanceDbStore.acquire({ directory });
    // As compaction does: alone, once those who read are through.
    const alone = store.partition(fixture.address).gate.alone(async () => undefined);
    expect((await fixture.search()).candidates).toHaveLength(1);
    await alone;
    embed(unitVector(1));
    expect((await slow).candidates).toHaveLength(1);
    await store.release();
  });

  it('purges after a crash between delete and count', async () => {
    const secret = 'zq8xsecret';
    await fixture.apply(
      putVersion(buildChunk(fixture.tenantId, { itemId: secret })),
      putVersion(buildChunk(fixture.tenantId)),
    );
    await fixture.apply({ kind: 'delete-item', itemId: secret });
    await fixture.index.reader.close();
    await fixture.index.writer.close();
    fixture = Object.assign(new IndexFixture(createLanceDbIndex({ directory })), {
      tenantId: fixture.tenantId,
      address: fixture.address,
    });
    expect(await fixture.index.writer.countItem(fixture.address, secret)).toBe(0);
    expect(await filesWith(secret)).toEqual([]);
  });

  it('keeps the folder of a tenant until its last generation is dropped', async () => {
    const { tenantId, address, index } = fixture;
    const next = { tenantId, generation: `${address.generation}-next` };
    await fixture.apply(putVersion(buildChunk(tenantId)));
    await index.writer.ensureIndex(next, DIMENSIONS);
    await index.writer.dropIndex(address);
    expect(await readdir(directory)).toEqual([tenantId]);
    await index.writer.dropIndex(next);
    await index.writer.dropIndex(next);
    expect(await readdir(directory)).toEqual([]);
  });

  it('keeps what was written, for the next process', async () => {
    const chunk = buildChunk(fixture.tenantId);
    await fixture.apply(putVersion(chunk));
    await fixture.index.reader.close();
    await fixture.index.writer.close();
    const { tenantId, address } = fixture;
    fixture = Object.assign(new IndexFixture(createLanceDbIndex({ directory })), { tenantId, address });
    expect(await fixture.find()).toEqual([asFound(chunk)]);
  });

  it('lets readers and writers made apart see each other, while files are cleaned up under them', async () => {
    const reader = createLanceDbReader({ directory });
    const writer = createLanceDbWriter({ directory });
    const query = { filter: openFilter(fixture.tenantId), vector: unitVector(1), text: 'plain words', k: 100 };
    let done = false;
    const reading = (async () => {
      let searches = 0;
      while (!done) {
        await reader.findCandidates(fixture.address, query);
        searches += 1;
      }
      return searches;
    })();
    try {
      for (let count = 1; count <= 15; count += 1) {
        await writer.apply(fixture.address, [putVersion(buildChunk(fixture.tenantId))]);
        expect((await reader.findCandidates(fixture.address, query)).candidates).toHaveLength(count);
      }
    } finally {
      done = true;
    }
    expect(await reading).toBeGreaterThan(0);
    await reader.close();
    await writer.close();
  });

  it('ranks a rare word first, however the rows came', async () => {
    const words = (seed: number): string =>
      Array.from({ length: 40 }, (_, at) => `word${(seed * 31 + at * 7) % 500}`).join(' ');
    const crowd = Array.from({ length: 2_100 }, (_, seed) => buildChunk(fixture.tenantId, { content: words(seed) }));
    await fixture.apply(...crowd.map((chunk) => putVersion(chunk)));
    for (let round = 0; round < 6; round += 1) {
      const rare = buildChunk(fixture.tenantId, { content: `narwhal${round} narwhal${round} ${words(round)}` });
      await fixture.apply(putVersion(rare));
      const { candidates } = await fixture.search({ text: `word3 narwhal${round} word8`, k: 5 });
      const first = candidates.find((candidate) => candidate.lexicalRank === 1);
      expect(first?.chunk.chunkId).toBe(rare.chunkId);
    }
  });

  it('reports a file in place of its directory as unavailable', async () => {
    const broken = createLanceDbReader({
      directory: join(directory, fixture.tenantId, 'g1', 'live.lance', '_versions', 'x', '\u0000'),
    });
    await expect(broken.ping()).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE', retryAfterSeconds: 5 });
    await broken.close();
  });
});
