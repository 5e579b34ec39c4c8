import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, jest } from '@jest/globals';
import { testServerUrl } from '@candor/persistence/testing';
import { createElasticsearchIndex, createLanceDbIndex } from '@candor/search-index';
import { describeGenerationBuilds } from './testing/generation-builds.suite.js';

jest.setTimeout(60_000);

const server = testServerUrl(process.env);
const elasticsearch = process.env['ELASTICSEARCH_URL'];
if (!elasticsearch && process.env['CI'] === 'true') throw new Error('ELASTICSEARCH_URL must be set in CI.');
if (!elasticsearch) console.warn('Generations are not tested on Elasticsearch: set ELASTICSEARCH_URL.');

(server === null ? describe.skip : describe)('generations on LanceDB', () => {
  let directory = '';
  describeGenerationBuilds(
    server ?? '',
    async () => {
      directory = await mkdtemp(join(tmpdir(), 'candor-generations-'));
      return createLanceDbIndex({ directory });
    },
    () => rm(directory, { recursive: true, force: true }),
  );
});

(server === null || !elasticsearch ? describe.skip : describe)('generations on Elasticsearch', () => {
  describeGenerationBuilds(
    server ?? '',
    async () => createElasticsearchIndex({ url: elasticsearch ?? '' }),
    async () => undefined,
  );
});

(server === null || !elasticsearch ? describe.skip : describe)('generations on Elasticsearch, in a pool', () => {
  const url = elasticsearch ?? '';
  describeGenerationBuilds(
    server ?? '',
    async () => createElasticsearchIndex({ url, pools: { count: 1, maxChunks: 50_000 } }),
    async () => {
      // Of the models' dimensions here; other specifications have pools of other ones.
      for (const dimensions of [16, 24])
        await fetch(`${url}/candor-pool-${dimensions}-0,candor-pool-${dimensions}-0-history`, { method: 'DELETE' });
    },
  );
});
