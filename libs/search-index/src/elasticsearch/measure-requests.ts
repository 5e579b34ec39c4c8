import type { Client } from '@elastic/elasticsearch';
import { defineHistogram } from '@candor/runtime/metrics';

const requests = defineHistogram({
  name: 'candor_index_request_duration_seconds',
  help: 'Requests to the search index: time until the answer, by API and outcome (ok, or the kind of failure).',
  labels: ['operation', 'outcome'],
});

/** Observes every request of a client; a retry counts into the same one. Operations are the client's API names. */
export function measureRequests(client: Client): Client {
  client.diagnostic.on('response', (error, result) => {
    if (!result) return;
    const { duration, request } = result.meta;
    if (duration === undefined) return;
    requests.observe({ operation: operationOf(request.params), outcome: error ? error.name : 'ok' }, duration / 1_000);
  });
  return client;
}

function operationOf(params: { meta?: { name?: string } }): string {
  return params.meta?.name ?? 'other';
}
