import { jest } from '@jest/globals';
import { Client } from '@elastic/elasticsearch';
import { describeSearchIndex } from '../conformance/search-index.conformance.js';
import { createElasticsearchIndex } from './create-elasticsearch-index.js';

jest.setTimeout(120_000);

const url = process.env['ELASTICSEARCH_URL'];
if (!url && process.env['CI'] === 'true') throw new Error('ELASTICSEARCH_URL must be set in CI.');
if (!url) console.warn('Elasticsearch is not tested: set ELASTICSEARCH_URL.');

(url ? describe : describe.skip)('Elasticsearch', () => {
  const node = url ?? '';
  let before: string[] = [];

  const indices = async (client: Client): Promise<string[]> =>
    Object.keys(await client.indices.get({ index: 'candor-*', allow_no_indices: true }));

  describeSearchIndex(
    async () => {
      const client = new Client({ node });
      before = await indices(client);
      await client.close();
      return createElasticsearchIndex({ url: node });
    },
    async () => {
      const client = new Client({ node });
      const made = (await indices(client)).filter((index) => !before.includes(index));
      for (const index of made) await client.indices.delete({ index });
      await client.close();
    },
  );
});
