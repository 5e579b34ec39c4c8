import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from '@elastic/elasticsearch';
import { buildChunk, DIMENSIONS, putVersion } from '../conformance/chunk-builder.js';
import { IndexFixture, isSmall, type IndexUnderTest } from '../conformance/index-fixture.js';
import { describeSearchIndex } from '../conformance/search-index.conformance.js';
import { createElasticsearchIndex } from './create-elasticsearch-index.js';

jest.setTimeout(120_000);

const url = process.env['ELASTICSEARCH_URL'];
if (!url && process.env['CI'] === 'true') throw new Error('ELASTICSEARCH_URL must be set in CI.');
if (!url) console.warn('Pools of Elasticsearch are not tested: set ELASTICSEARCH_URL.');

const POOL = `candor-pool-${DIMENSIONS}-0`;
const HISTORY = `${POOL}-history`;

(url ? describe : describe.skip)('Elasticsearch, where small tenants share indices', () => {
  const node = url ?? '';
  let client: Client;
  beforeAll(async () => {
    client = new Client({ node });
  });
  afterAll(async () => {
    const indices = Object.keys(await client.indices.get({ index: 'candor-pool-*', allow_no_indices: true }));
    // Of this file's vectors: another specification's pools hold a model's.
    for (const index of indices.filter((name) => /^candor-pool-[28]-/.test(name)))
      await client.indices.delete({ index });
    await client.close();
  });

  const open = (maxChunks = 100): IndexUnderTest =>
    createElasticsearchIndex({ url: node, pools: { count: 1, maxChunks } });

  describeSearchIndex(
    async () => open(),
    async () => undefined,
  );

  describe('a pool', () => {
    let index: IndexUnderTest;
    let left: IndexFixture;
    let right: IndexFixture;
    beforeAll(async () => {
      index = open();
      left = await new IndexFixture(index).create();
      right = await new IndexFixture(index).create();
    });
    afterAll(async () => {
      await index.reader.close();
      await index.writer.close();
    });

    const indicesOf = async ({ tenantId }: IndexFixture): Promise<string[]> =>
      Object.keys(await client.indices.get({ index: `candor-${tenantId}-*`, allow_no_indices: true })).sort();

    it('holds several tenants and generations, of which each search sees its own', async () => {
      // The same ids everywhere, and the filter says nothing that the address doesn't.
      const shared = { chunkId: 'same', itemId: 'same' };
      const next = { ...left.address, generation: 'g2' };
      await index.writer.ensureIndex(next, DIMENSIONS, isSmall);
      await left.apply(putVersion(buildChunk(left.tenantId, { ...shared, content: 'words of the left' })));
      await right.apply(putVersion(buildChunk(right.tenantId, { ...shared, content: 'words of the right' })));
      await index.writer.apply(next, [
        putVersion(buildChunk(left.tenantId, { ...shared, content: 'words of the next' })),
      ]);
      expect([await indicesOf(left), await indicesOf(right)]).toEqual([
        [POOL, HISTORY],
        [POOL, HISTORY],
      ]);
      const contents = async (tenant: IndexFixture): Promise<string[]> =>
        (await tenant.find()).map(({ content }) => content);
      expect([await contents(left), await contents(right)]).toEqual([['words of the left'], ['words of the right']]);
      expect(await index.writer.countItem(next, 'same')).toBe(1);
      const unfiltered = await client.search({
        index: `candor-${left.tenantId}-g2`,
        knn: { field: 'vector', query_vector: [1, 0, 0, 0, 0, 0, 0, 0], k: 10, num_candidates: 100 },
      });
      expect(unfiltered.hits.hits.map(({ _id }) => _id)).toEqual([`${left.tenantId}/g2/same`]);
    });

    it('lets one go without its neighbours, history too, and takes no more of its writes', async () => {
      const gone = await new IndexFixture(index).create();
      const itemId = 'edited';
      await gone.apply(putVersion(buildChunk(gone.tenantId, { itemId })));
      await gone.apply(putVersion(buildChunk(gone.tenantId, { itemId, version: 2 })));
      await right.apply(putVersion(buildChunk(right.tenantId, { itemId: 'stays' })));
      const { count: before } = await client.count({ index: [POOL, HISTORY] });
      await index.writer.dropIndex(gone.address);
      const { count: after } = await client.count({ index: [POOL, HISTORY] });
      expect(before - after).toBe(2);
      expect(await index.writer.countItem(right.address, 'stays')).toBe(1);
      expect(await indicesOf(gone)).toEqual([]);
      await expect(gone.search()).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE' });
      await expect(gone.apply(putVersion(buildChunk(gone.tenantId)))).rejects.toMatchObject({
        code: 'RESOURCE.NOT_FOUND',
      });
      await index.writer.dropIndex(gone.address);
    });

    it('is emptied by a repeat when the first attempt ended half-way', async () => {
      const gone = await new IndexFixture(index).create();
      await gone.apply(putVersion(buildChunk(gone.tenantId)));
      const aliases = [`candor-${gone.tenantId}-g1-write`, `candor-${gone.tenantId}-g1-history-write`];
      await client.indices.updateAliases({ actions: [{ remove: { index: 'candor-pool-*', aliases } }] });
      await index.writer.dropIndex(gone.address);
      const { count } = await client.count({ index: POOL, query: { term: { tenantId: gone.tenantId } } });
      expect(count).toBe(0);
    });

    it('is outgrown with the next generation: both are there until the old one goes', async () => {
      const { writer } = index;
      const grown = await new IndexFixture(index).create();
      await grown.apply(putVersion(buildChunk(grown.tenantId, { itemId: 'one' })));
      // It stays where it is, whatever it has become.
      await writer.ensureIndex(grown.address, DIMENSIONS, async () => 101);
      expect(await indicesOf(grown)).toEqual([POOL, HISTORY]);
      const asked: number[] = [];
      const next = { ...grown.address, generation: 'g2' };
      await writer.ensureIndex(next, DIMENSIONS, async (upTo) => {
        asked.push(upTo);
        return 101;
      });
      expect(asked[0]).toBe(101);
      expect(await indicesOf(grown)).toEqual([
        `candor-${grown.tenantId}-g2`,
        `candor-${grown.tenantId}-g2-history`,
        POOL,
        HISTORY,
      ]);
      await writer.dropIndex(grown.address);
      expect(await indicesOf(grown)).toHaveLength(2);
      expect(await writer.findDrift(next, DIMENSIONS)).toEqual([]);
    });

    it('takes nobody who has indices already, and not who isn’t counted', async () => {
      const alone = createElasticsearchIndex({ url: node });
      const before = new IndexFixture(alone);
      await before.create();
      await alone.writer.close();
      await alone.reader.close();
      await index.writer.ensureIndex(before.address, DIMENSIONS, isSmall);
      const uncounted = new IndexFixture(index);
      await index.writer.ensureIndex(uncounted.address, DIMENSIONS);
      for (const tenant of [before, uncounted]) {
        const name = `candor-${tenant.tenantId}-g1`;
        expect(await indicesOf(tenant)).toEqual([name, `${name}-history`]);
        expect(await index.writer.findDrift(tenant.address, DIMENSIONS)).toEqual([]);
        await index.writer.dropIndex(tenant.address);
      }
    });

    it('is made again when it was lost, and its tenants are told until theirs is built anew', async () => {
      expect(await index.writer.findDrift(left.address, DIMENSIONS)).toEqual([]);
      for (const lost of [POOL, HISTORY]) await client.indices.delete({ index: lost });
      expect(await index.writer.findDrift(left.address, DIMENSIONS)).toEqual(['the live index does not exist']);
      await expect(left.search()).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE' });
      const next = { ...left.address, generation: 'g3' };
      await index.writer.ensureIndex(next, DIMENSIONS, isSmall);
      await index.writer.apply(next, [putVersion(buildChunk(left.tenantId, { itemId: 'again' }))]);
      expect(await index.writer.countItem(next, 'again')).toBe(1);
      expect(await indicesOf(left)).toEqual([POOL, HISTORY]);
    });
  });
});
