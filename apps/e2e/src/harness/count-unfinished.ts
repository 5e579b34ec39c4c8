import { ingestionRoute, type IngestionStatus, type IngestResponse } from '@candor/contracts';
import { waitFor, type ApiClient } from '@candor/testkit';

const UNFINISHED = ['accepted', 'extracting', 'indexing'] as const;

/** How many items of these requests are not through; asks again while something can't answer. The newest is read last. */
export async function countUnfinished(
  client: ApiClient,
  accepted: readonly IngestResponse[],
  timeoutMs: number,
): Promise<number> {
  let unfinished = 0;
  for (const { requestId } of accepted) {
    const status = await waitFor(() => client.call(ingestionRoute, { params: { requestId } }), {
      what: 'the state of a request',
      timeoutMs,
    });
    unfinished += unfinishedIn(status);
  }
  return unfinished;
}

export function unfinishedIn({ counts }: Pick<IngestionStatus, 'counts'>): number {
  return UNFINISHED.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}
