import { z } from 'zod';
import { auditEnvironment } from '@candor/audit';
import { LONGEST_RUN_MS } from '@candor/contracts';
import { embeddingsEnvironment } from '@candor/embeddings';
import { corsEnvironment, mcpEnvironment, uploadsEnvironment } from '@candor/gateway';
import { quotaEnvironment } from '@candor/persistence';
import { booleanFromEnv, encryptionEnvironment, portFromEnv } from '@candor/runtime';
import { answerProviderEnvironment } from '@candor/synthesis';
import { DEFAULT_DATA } from './data-folder.js';

const launcherFields = {
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: portFromEnv(3000).describe('Port of the public API.'),
  CANDOR_DATA: z
    .string()
    .default(DEFAULT_DATA)
    .describe(
      'Folder of everything that is kept, closed to other users of the machine; another one that is there already keeps its mode.',
    ),
  CANDOR_DEMO: z
    .enum(['on', 'off'])
    .default('on')
    .transform((value) => value === 'on')
    .describe('`off`: no demo workspace on the first start.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('Least severe line.'),
  CANDOR_ENCRYPTION_KEYS: encryptionEnvironment.CANDOR_ENCRYPTION_KEYS.optional().describe(
    'Keys of the stored credentials, `<keyId>:<base64 of 32 bytes>,…`; default: one that is made once and kept below `CANDOR_DATA`.',
  ),
  CANDOR_AUDIT_KEYS: auditEnvironment.CANDOR_AUDIT_KEYS.optional().describe(
    'Ed25519 seeds that sign the audit trail, `<keyId>:<base64 of 32 bytes>,…`; default: one that is made once and kept below `CANDOR_DATA`.',
  ),
  CANDOR_ALLOW_PRIVATE_CONNECTORS: booleanFromEnv(false).describe(
    'Sources may have private addresses, and addresses without TLS.',
  ),
};
const deadline = (fallback: number) => z.coerce.number().int().min(100).max(LONGEST_RUN_MS).default(fallback);

/** What the standalone profile reads from the environment. */
export const standaloneConfigSchema = z.object({
  ...launcherFields,
  SEARCH_DEADLINE_MS: deadline(10_000).describe('Longest time of a search, ms.'),
  REASON_DEADLINE_MS: deadline(60_000).describe('Longest time of a reason request, ms.'),
  ...uploadsEnvironment,
  ...quotaEnvironment,
  ...corsEnvironment,
  ...mcpEnvironment,
  ...answerProviderEnvironment,
  ...embeddingsEnvironment,
});
export type StandaloneConfig = z.output<typeof standaloneConfigSchema>;

/** What the launcher of the distributed profile reads itself; the rest goes to the services as it is. */
export const distributedConfigSchema = z.object({
  ...launcherFields,
  EMBEDDINGS_BASE_URL: embeddingsEnvironment.EMBEDDINGS_BASE_URL,
  EMBEDDINGS_MODEL: embeddingsEnvironment.EMBEDDINGS_MODEL,
  CANDOR_MODEL_DIR: embeddingsEnvironment.CANDOR_MODEL_DIR,
  CANDOR_MODELS_DIR: embeddingsEnvironment.CANDOR_MODELS_DIR,
});
export type DistributedConfig = z.output<typeof distributedConfigSchema>;
