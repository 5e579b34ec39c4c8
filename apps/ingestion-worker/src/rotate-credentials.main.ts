import { z } from 'zod';
import { Database, databaseEnvironment, databaseOptionsFrom } from '@candor/persistence';
import { createLogger, CredentialCipher, encryptionEnvironment, loadConfig, runAsEntryPoint } from '@candor/runtime';
import { rotateCredentials } from './rotate-credentials.js';

const configSchema = z.object({
  ...databaseEnvironment,
  ...encryptionEnvironment,
});

/** `npm run rotate:credentials`: all stored credentials to the first key of `CANDOR_ENCRYPTION_KEYS`. */
async function main(): Promise<void> {
  const config = loadConfig(configSchema);
  const database = new Database({
    ...databaseOptionsFrom(config),
    applicationName: 'candor-rotate-credentials',
    poolSize: 2,
  });
  try {
    const cipher = new CredentialCipher(config.CANDOR_ENCRYPTION_KEYS);
    await database.migrate();
    const rotation = await rotateCredentials(database, cipher);
    createLogger('rotate-credentials', { level: 'info' }).info(
      { ...rotation, keyId: cipher.keyId },
      'Credentials rotated',
    );
    if (rotation.unreadable > 0) process.exitCode = 1;
  } finally {
    await database.close();
  }
}

await runAsEntryPoint(import.meta.url, main);
