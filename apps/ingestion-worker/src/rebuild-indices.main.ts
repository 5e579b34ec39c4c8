import { z } from 'zod';
import { Database, databaseEnvironment, databaseOptionsFrom } from '@candor/persistence';
import { createLogger, loadConfig, runAsEntryPoint } from '@candor/runtime';
import {
  createElasticsearchWriter,
  elasticsearchEnvironment,
  elasticsearchOptionsFrom,
} from '@candor/search-index/write';
import { rebuildIndices } from './rebuild-indices.js';

const configSchema = z.object({
  ...databaseEnvironment,
  ...elasticsearchEnvironment,
});

/** `npm run rebuild:indices`: after a restore, every tenant's index that isn't there. The workers have to be running. */
async function main(): Promise<void> {
  const config = loadConfig(configSchema);
  const logger = createLogger('rebuild-indices', { level: 'info' });
  const database = new Database({
    ...databaseOptionsFrom(config),
    applicationName: 'candor-rebuild-indices',
    poolSize: 5,
  });
  const index = createElasticsearchWriter(elasticsearchOptionsFrom(config));
  try {
    const result = await rebuildIndices(database, index, {
      onEnd: ({ error, ...ids }) =>
        error === undefined ? logger.info(ids, 'Index rebuilt') : logger.error({ ...ids, error }, 'Not rebuilt'),
    });
    logger.info(result, 'Indices looked through');
    if (result.failed > 0) process.exitCode = 1;
  } finally {
    await Promise.all([database.close(), index.close()]);
  }
}

await runAsEntryPoint(import.meta.url, main);
