import {
  ingestionRoute,
  ingestRoute,
  type IngestDocument,
  type IngestionStatus,
  type IngestResponse,
} from '@candor/contracts';
import { buildDocument, waitFor, type ApiClient, type DocumentFields } from '@candor/testkit';

/** Pushes documents and waits until the work on all of them has ended, well or not. */
export async function ingestAndWait(
  client: ApiClient,
  documents: DocumentFields[],
): Promise<{ accepted: IngestResponse; status: IngestionStatus }> {
  const accepted = await push(client, documents);
  return { accepted, status: await waitUntilDone(client, accepted.requestId) };
}

/** Pushes documents that have to become searchable; their item ids, in order. */
export async function ingest(client: ApiClient, documents: DocumentFields[]): Promise<string[]> {
  const { accepted, status } = await ingestAndWait(client, documents);
  const failed = status.items.find((item) => item.error);
  if (failed?.error) throw new Error(`${failed.externalId} failed: ${failed.error.type} ${failed.error.message}`);
  return accepted.items.map((item) => item.sourceItemId);
}

/** One document that has to become searchable; its item id. */
export async function ingestOne(client: ApiClient, document: DocumentFields): Promise<string> {
  const [id] = await ingest(client, [document]);
  if (id === undefined) throw new Error('nothing was accepted');
  return id;
}

export function push(client: ApiClient, documents: DocumentFields[]): Promise<IngestResponse> {
  return client.call(ingestRoute, { body: { documents: documents.map(buildDocument) } });
}

export function waitUntilDone(client: ApiClient, requestId: string, timeoutMs = 120_000): Promise<IngestionStatus> {
  return waitFor(
    async () => {
      const status = await client.call(ingestionRoute, { params: { requestId } });
      return status.done ? status : undefined;
    },
    { what: `the end of ingestion ${requestId}`, timeoutMs },
  );
}

/** So many documents with one distinct subject each. */
export function buildDocuments(count: number, prefix: string): IngestDocument[] {
  return Array.from({ length: count }, (_, index) =>
    buildDocument({
      externalId: `${prefix}-${index}`,
      title: `${prefix} locker ${index}`,
      body: `Locker ${index} of ${prefix} holds ${index + 7} lanterns and opens with the code ${prefix}${index * 37}.`,
      accessPolicy: { provider: 'slack', mode: 'provider_scope' },
    }),
  );
}
