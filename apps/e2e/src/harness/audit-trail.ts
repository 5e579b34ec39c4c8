import { auditEventsRoute, type AuditEventView } from '@candor/contracts';
import { waitFor, type ApiClient } from '@candor/testkit';

/** Events of one request, oldest first. */
export async function readEvents(reader: ApiClient, requestId: string): Promise<AuditEventView[]> {
  const { data } = await reader.call(auditEventsRoute, { query: { requestId, limit: 100 } });
  return data.reverse();
}

export async function readActions(reader: ApiClient, requestId: string): Promise<string[]> {
  return (await readEvents(reader, requestId)).map((event) => event.action);
}

/** For work that ends after its response. */
export function waitForEvent(
  reader: ApiClient,
  filter: { requestId: string; action: AuditEventView['action'] },
  timeoutMs = 60_000,
): Promise<AuditEventView> {
  return waitFor(
    async () => (await readEvents(reader, filter.requestId)).find((event) => event.action === filter.action),
    { what: `the event ${filter.action}`, timeoutMs },
  );
}
