import { listProposalsRoute, type Proposal } from '@candor/contracts';
import { buildDocument, waitFor, type ApiClient } from '@candor/testkit';
import { ingest } from './ingest.js';

/** Two disagreements among four new documents, and what the worker proposes of them. */
export async function proposeConflicts(client: ApiClient): Promise<Proposal[]> {
  const bodies = [
    'The request limit of the Tollevik gateway is 100 requests per minute.',
    'The request limit of the Tollevik gateway is 120 requests per minute.',
    'The Tollevik archive tool launches on 15 September 2026.',
    'The Tollevik archive tool launches on 6 October 2026.',
  ];
  await ingest(
    client,
    bodies.map((body, index) =>
      buildDocument({
        externalId: `tollevik-${index}`,
        title: `Tollevik ${index}`,
        body,
        accessPolicy: { provider: 'slack', mode: 'provider_scope' },
      }),
    ),
  );
  return waitForProposals(client, 2);
}

export function waitForProposals(client: ApiClient, count: number): Promise<Proposal[]> {
  return waitFor(
    async () => {
      const { data } = await client.call(listProposalsRoute, { query: { state: 'pending' } });
      return data.length >= count ? data : undefined;
    },
    { what: 'proposals', timeoutMs: 90_000 },
  );
}
