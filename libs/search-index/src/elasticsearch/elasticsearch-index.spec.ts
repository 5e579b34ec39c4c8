import { jest } from '@jest/globals';
import { Client } from '@elastic/elasticsearch';
import { IndexFixture } from '../conformance/index-fixture.js';
import { describeSearchIndex } from '../conformance/search-index.conformance.js';
import { createElasticsearchIndex } from './create-elasticsearch-index.js';

jest.setTimeout(120_000);

const url = process.env['ELASTICSEARCH_URL'];
if (!url && process.env['CI'] === 'true') throw new Error('ELASTICSEARCH_URL must be set in CI.');
if (!url) console.warn('Elasticsearch is not tested: set ELASTICSEARCH_URL.');

(url ? describe : describe.skip)('Elasticsearch', () => {
  const node = url ?? '';
  describeSearchIndex(
    async () => createElasticsearchIndex({ url: node }),
    async () => {
      const client = new Client({ node });
      const indices = Object.keys(await client.indices.get({ index: 'candor-*', allow_no_indices: true }));
      const tenantIds = [...IndexFixture.tenantIds];
      for (const index of indices.filter((name) => tenantIds.some((id) => name.includes(id))))
        await client.indices.delete({ index });
      await client.close();
    },
  );
});
