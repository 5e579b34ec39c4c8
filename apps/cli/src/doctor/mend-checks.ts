/** How to mend what a gateway's `/readyz` names; the names are those of the health checks of both profiles. */
const MENDS: Readonly<Record<string, string>> = {
  database: 'Start Postgres, or correct DATABASE_URL of the gateway; its log names the cause.',
  queue: 'Start Redis, or correct REDIS_URL of the gateway and the workers.',
  retrieval:
    'Start the retrieval service, or correct RETRIEVAL_URL of the gateway; with TLS, compare the certificates.',
  index: 'Start the search index; on disk, see whether the disk is full and the folder may be written to.',
  model: 'See whether the embedding model is there (CANDOR_MODEL_DIR), or whether EMBEDDINGS_BASE_URL answers.',
  'first-key': 'Set CANDOR_BOOTSTRAP_KEY of the gateway, or wait until the database is migrated.',
  'first-start': 'Wait: the first start loads the model and the demo.',
  'ready-file': 'Wait: its launcher loads data first (READY_FILE).',
};

export function mendCheck(name: string): string {
  if (name.startsWith('workers:'))
    return `Start the service that works on the queue "${name.slice('workers:'.length)}" (ingestion worker or synthesis); without one nothing there is done.`;
  return MENDS[name] ?? 'Look for this check in the log of the gateway.';
}
