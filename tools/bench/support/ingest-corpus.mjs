import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createAuditSigner } from '@candor/audit';
import { EmbedderRegistry } from '@candor/embeddings';
import { sourceDependenciesFrom, startWorker } from '@candor/ingestion-worker';
import { Database } from '@candor/persistence';
import { JobProducer } from '@candor/queue';
import { createLogger } from '@candor/runtime';
import { createElasticsearchWriter } from '@candor/search-index/write';
import { ingestionRoute, ingestRoute } from '@candor/contracts';
import { ApiClient } from '@candor/testkit';

const DOCUMENTS_A_REQUEST = 500;
/** One for all workers of a run: an installation knows a key by one public half. */
const AUDIT_SIGNER = createAuditSigner(`bench:${randomBytes(32).toString('base64')}`);
/** Well below the gateway's limit. */
const CHARACTERS_A_REQUEST = 3_000_000;

export function toIngestDocument({ id, title, text, mimeType = 'text/plain' }) {
  return {
    provider: 'notion',
    sourceKind: 'document',
    externalId: id,
    title: title || 'Untitled',
    body: text,
    mimeType,
    accessPolicy: { provider: 'notion', mode: 'provider_scope' },
  };
}

/** Posts everything and waits for the last item, asking four times a second: an answer lists every item. @returns seconds. */
export async function ingestAll({ url, key }, documents, pollMs = 250) {
  const client = new ApiClient(url, key);
  const started = performance.now();
  const requests = [];
  for (const batch of inBatches(documents)) {
    requests.push((await client.call(ingestRoute, { body: { documents: batch } })).requestId);
  }
  for (const requestId of requests) await waitUntilDone(client, requestId, pollMs);
  return (performance.now() - started) / 1_000;
}

function* inBatches(documents) {
  let batch = [];
  let characters = 0;
  for (const document of documents) {
    if (batch.length === DOCUMENTS_A_REQUEST || characters + document.body.length > CHARACTERS_A_REQUEST) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(document);
    characters += document.body.length;
  }
  if (batch.length > 0) yield batch;
}

async function waitUntilDone(client, requestId, pollMs) {
  for (;;) {
    const status = await client.call(ingestionRoute, { params: { requestId } });
    const failed = status.items.find((item) => item.error);
    if (failed) throw new Error(`${failed.externalId}: ${failed.error.type} ${failed.error.message}`);
    if (status.done) return;
    await delay(pollMs);
  }
}

/**
 * Fills an installation that has no worker of its own: the product's worker, in this process, with an embedder that may
 * know the vectors already.
 */
export async function fillInstallation(installation, elasticsearchUrl, embedder, documents) {
  const queue = { kind: 'redis', url: installation.redisUrl };
  const logger = createLogger('bench', { level: 'warn', stream: 'stderr' });
  const database = new Database({ url: installation.databaseUrl, applicationName: 'candor-bench', poolSize: 20 });
  const index = createElasticsearchWriter({ url: elasticsearchUrl });
  const producer = new JobProducer(queue);
  const worker = await startWorker({
    database,
    embedders: EmbedderRegistry.around(embedder),
    index,
    queue,
    producer,
    logger,
    auditSigner: AUDIT_SIGNER,
    sources: sourceDependenciesFrom({
      CANDOR_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
      CANDOR_ALLOW_PRIVATE_CONNECTORS: false,
    }),
  });
  try {
    return await ingestAll(installation, documents.map(toIngestDocument));
  } finally {
    await worker.stop();
    await Promise.all([producer.close(), index.close(), database.close()]);
  }
}
