import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from '@elastic/elasticsearch';
import { buildChunk, DIMENSIONS, putVersion } from '../conformance/chunk-builder.js';
import { IndexFixture, isSmall } from '../conformance/index-fixture.js';
import { describeSearchIndex } from '../conformance/search-index.conformance.js';
import { createElasticsearchIndex } from './create-elasticsearch-index.js';
import { MOST_SHARDS, shardsFor } from './placement.js';

jest.setTimeout(120_000);

describe('the shards of a tenant', () => {
  it.each([
    [0, 1],
    [10, 1],
    [11, 2],
    [95, 10],
    [1e12, MOST_SHARDS],
  ])('for %i chunks, ten a shard, are %i', (chunks, shards) => {
    expect(shardsFor(chunks, 10)).toBe(shards);
  });
});

const url = process.env['ELASTICSEARCH_URL'];
if (!url && process.env['CI'] === 'true') throw new Error('ELASTICSEARCH_URL must be set in CI.');
if (!url) console.warn('Shards of Elasticsearch are not tested: set ELASTICSEARCH_URL.');

(url ? describe : describe.skip)('Elasticsearch, where a tenant has several shards', () => {
  const node = url ?? '';
  const open = (chunksPerShard = 1) => createElasticsearchIndex({ url: node, chunksPerShard });
  let client: Client;
  beforeAll(() => {
    client = new Client({ node });
  });
  afterAll(async () => {
    await client.close();
  });

  describeSearchIndex(
    async () => open(),
    async () => undefined,
  );

  describe('a tenant that has grown', () => {
    const index = open(100);
    afterAll(async () => {
      await index.reader.close();
      await index.writer.close();
    });
    const shardsOf = async (names: string[]): Promise<unknown[]> => {
      const settings = await client.indices.getSettings({ index: names });
      return names.map((name) => settings[name]?.settings?.index?.number_of_shards);
    };

    it('has more of them with its next generation, live and history; the old one stays as it is', async () => {
      const tenant = await new IndexFixture(index).create();
      const first = `candor-${tenant.tenantId}-g1`;
      const next = { ...tenant.address, generation: 'g2' };
      const asked: number[] = [];
      const count = async (upTo: number): Promise<number> => {
        asked.push(upTo);
        return 201;
      };
      await index.writer.ensureIndex(tenant.address, DIMENSIONS, count);
      await index.writer.ensureIndex(next, DIMENSIONS, count);
      // What is there already isn't counted for.
      expect(asked).toEqual([100 * MOST_SHARDS]);
      const second = `candor-${tenant.tenantId}-g2`;
      const names = [first, `${first}-history`, second, `${second}-history`];
      expect(await shardsOf(names)).toEqual(['1', '1', '3', '3']);
      for (const address of [tenant.address, next]) {
        expect(await index.writer.findDrift(address, DIMENSIONS)).toEqual([]);
        await index.writer.dropIndex(address);
      }
    });

    it('has its words weighed over all of it, as in one shard', async () => {
      const orders = await Promise.all(
        [open(1), open(100)].map(async ({ reader, writer }) => {
          const tenant = await new IndexFixture({ reader, writer }).create();
          await writer.ensureIndex(tenant.address, DIMENSIONS, isSmall);
          // One rare word and one that most have; where a shard happens to hold the rare one often, it would weigh less there.
          const contents = Array.from({ length: 40 }, (_, number) =>
            number % 8 === 0 ? `heron ${'reed '.repeat(number / 8)}` : `pond ${'reed '.repeat(number % 7)}`,
          );
          const chunks = contents.map((content, number) =>
            buildChunk(tenant.tenantId, { chunkId: `c${number}`, itemId: `i${number}`, content }),
          );
          await tenant.apply(...chunks.map((chunk) => putVersion(chunk)));
          const { candidates } = await tenant.search({ text: 'heron pond reed', k: 40 });
          const scores = candidates
            .map(({ chunk, lexicalScore }) => [chunk.chunkId, lexicalScore?.toFixed(4)] as const)
            .sort(([left], [right]) => left.localeCompare(right));
          await writer.dropIndex(tenant.address);
          await Promise.all([reader.close(), writer.close()]);
          return scores;
        }),
      );
      expect(orders[0]).toEqual(orders[1]);
    });
  });
});
