import { expect } from '@jest/globals';
import {
  auditEventsRoute,
  contextRoute,
  deadLettersRoute,
  passageSearchRoute,
  type AuditEventView,
  type IngestDocument,
  type IngestResponse,
} from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { waitUntilDone } from './ingest.js';

/**
 * What a 202 promises, whatever happened since: every item of it ends as indexed, once – one version, one event, one
 * copy in the index – and is found. `documents` come from `buildDocuments`.
 */
export async function expectIndexedOnce(
  client: ApiClient,
  accepted: IngestResponse,
  documents: readonly IngestDocument[],
  timeoutMs: number,
): Promise<void> {
  const status = await waitUntilDone(client, accepted.requestId, timeoutMs);
  expect(status.counts).toEqual({ indexed: documents.length });
  expect(status.items.filter((item) => item.version !== 1)).toEqual([]);

  const events = await readAllEvents(client, accepted.requestId, 'item.index');
  expect(events.map((event) => event.targetId).sort()).toEqual(accepted.items.map((item) => item.sourceItemId).sort());
  expect((await client.call(deadLettersRoute)).data).toEqual([]);

  const sample = documents.map((_, index) => index).filter((index) => index % Math.ceil(documents.length / 12) === 0);
  for (const index of sample) {
    const document = documents[index];
    const sourceItemId = accepted.items[index]?.sourceItemId ?? '';
    const query = `What does ${document?.title} hold?`;
    const { hits } = await client.call(contextRoute, { body: { query, sourceItemId } });
    expect(hits.map((hit) => hit.content)).toEqual([document?.body]);
    const passages = await client.call(passageSearchRoute, { body: { query, documentId: sourceItemId, limit: 50 } });
    expect(passages.data.results).toHaveLength(1);
  }
}

async function readAllEvents(
  client: ApiClient,
  requestId: string,
  action: AuditEventView['action'],
): Promise<AuditEventView[]> {
  const events: AuditEventView[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: AuditEventView[]; pagination: { cursor: string | null } } = await client.call(
      auditEventsRoute,
      {
        query: { requestId, action: action as never, limit: 100, ...(cursor === null ? {} : { cursor }) },
      },
    );
    events.push(...page.data);
    cursor = page.pagination.cursor;
  } while (cursor !== null);
  return events;
}
