import type { Client } from '@elastic/elasticsearch';
import { defineHistogram } from '@candor/runtime/metrics';

const requests = defineHistogram({
  name: 'candor_index_request_duration_seconds',
  help: 'Requests to the search index: time until the answer, by API and outcome (ok, or the kind of failure).',
  labels: ['operation', 'outcome'],
});

/** Observes every request of a client; a retry counts into the same one. */
export function measureRequests(client: Client): Client {
  client.diagnostic.on('response', (error, result) => {
    if (!result) return;
    const { duration, request } = result.meta;
    if (duration === undefined) return;
    requests.observe(
      { operation: operationOf(request.params.path), outcome: error ? error.name : 'ok' },
      duration / 1_000,
    );
  });
  return client;
}

/** `/some-index/_search` → `search`, `/some-index` → `index`: names of indices can't begin with `_`, and are no labels. */
export function operationOf(path: string): string {
  const endpoint = path.split('/').find((segment) => segment.startsWith('_'));
  return endpoint === undefined ? 'index' : endpoint.slice(1);
}
