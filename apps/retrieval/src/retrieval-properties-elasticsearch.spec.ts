import { jest } from '@jest/globals';
// eslint-disable-next-line no-restricted-imports -- the test has to fill the index, which the service never does
import { createElasticsearchIndex } from '@candor/search-index/write';
import { describeRetrievalProperties, type IndexUnderTest } from './testing/retrieval-properties.js';

jest.setTimeout(240_000);

const url = process.env['ELASTICSEARCH_URL'];
if (!url && process.env['CI'] === 'true') throw new Error('ELASTICSEARCH_URL must be set in CI.');
if (!url) console.warn('Retrieval over Elasticsearch is not tested: set ELASTICSEARCH_URL.');

(url ? describe : describe.skip)('retrieval over Elasticsearch', () => {
  let index: IndexUnderTest;

  beforeAll(() => {
    index = { ...createElasticsearchIndex({ url: url ?? '' }), isExact: false };
  });
  afterAll(() => Promise.all([index.reader.close(), index.writer.close()]));

  describeRetrievalProperties(() => index);
});
