import { expect } from '@jest/globals';
import {
  auditEventsRoute,
  contextRoute,
  deadLettersRoute,
  ingestionRoute,
  passageSearchRoute,
  type AuditEventView,
  type IngestDocument,
  type IngestionStatus,
  type IngestResponse,
} from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { countTried } from './fault-ledger.js';
import { waitUntilDone } from './ingest.js';
import { mapLimited } from './map-limited.js';

const SAMPLE = 12;
const SEARCHES_AT_A_TIME = 4;

/**
 * What a 202 promises, whatever happened since: every item of it ends as indexed, once – one version, one event, one
 * copy in the index – and is found. `documents` come from `buildDocuments`; searched for are a dozen of them, spread over
 * all, or every one.
 */
export async function expectIndexedOnce(
  client: ApiClient,
  accepted: IngestResponse,
  documents: readonly IngestDocument[],
  timeoutMs: number,
  searched: 'sample' | 'all' = 'sample',
): Promise<void> {
  const status = await readFinalStatus(client, accepted, timeoutMs);
  const events = await readAllEvents(client, accepted.requestId, 'item.index');
  const step = searched === 'all' ? 1 : Math.ceil(documents.length / SAMPLE);
  const places = documents.map((_, place) => place);
  const checked = await mapLimited(places, SEARCHES_AT_A_TIME, async (place) => {
    const document = documents[place];
    const sourceItemId = accepted.items[place]?.sourceItemId;
    const item = status.items.find((candidate) => candidate.sourceItemId === sourceItemId);
    const defects = [
      ...(item?.status === 'indexed' ? [] : [`is ${item?.status ?? 'not in the ingestion'}`]),
      ...(item?.version === 1 ? [] : [`has version ${item?.version ?? 'none'}`]),
    ];
    const times = events.filter(({ targetId }) => targetId === sourceItemId).length;
    if (times !== 1) defects.push(`has ${times} events`);
    if (document && sourceItemId && place % step === 0)
      defects.push(...(await findDefects(client, document, sourceItemId)));
    return defects.length === 0 ? [] : [`${document?.externalId}: ${defects.join(', ')}`];
  });
  const lost = checked.flat();
  countTried('A 202 is never lost', 'accepted items', documents.length, lost.length);
  expect(lost).toEqual([]);
  expect(status.items).toHaveLength(documents.length);
  expect(events).toHaveLength(documents.length);
  expect((await client.call(deadLettersRoute)).data).toEqual([]);
}

/** As it is when the time is up: what is not done by then counts as lost. */
async function readFinalStatus(
  client: ApiClient,
  { requestId }: IngestResponse,
  timeoutMs: number,
): Promise<IngestionStatus> {
  try {
    return await waitUntilDone(client, requestId, timeoutMs);
  } catch {
    return client.call(ingestionRoute, { params: { requestId } });
  }
}

async function findDefects(client: ApiClient, document: IngestDocument, sourceItemId: string): Promise<string[]> {
  const query = `What does ${document.title} hold?`;
  const { hits } = await client.call(contextRoute, { body: { query, sourceItemId } });
  const { data } = await client.call(passageSearchRoute, { body: { query, documentId: sourceItemId, limit: 50 } });
  return [
    ...(hits.length === 1 && hits[0]?.content === document.body ? [] : [`gives ${hits.length} hits`]),
    ...(data.results.length === 1 ? [] : [`has ${data.results.length} passages`]),
  ];
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
