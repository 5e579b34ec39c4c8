import { z } from 'zod';
import { Database, databaseEnvironment, databaseOptionsFrom } from '@candor/persistence';
import { createLogger, loadConfig, retryUntilReachable, runAsEntryPoint } from '@candor/runtime';

/** What the migration job reads from the environment; nothing else. */
export const migrateConfigSchema = z.object({
  ...databaseEnvironment,
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('Least severe line.'),
});

/** Brings the schema forward and ends; what waits for the database's lock waits for another that does the same. */
async function main(): Promise<void> {
  const config = loadConfig(migrateConfigSchema);
  const logger = createLogger('migrate', { level: config.LOG_LEVEL });
  const database = new Database({ ...databaseOptionsFrom(config), applicationName: 'candor-migrate', poolSize: 1 });
  try {
    await retryUntilReachable(() => database.migrate(), logger);
    logger.info('The schema is up to date');
  } finally {
    await database.close();
  }
}

await runAsEntryPoint(import.meta.url, main);
