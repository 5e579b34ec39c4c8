import { setTimeout as delay } from 'node:timers/promises';
import { errors, type Client, type estypes } from '@elastic/elasticsearch';
import { indexUnavailable, mapElasticsearchError, mapStatus } from './map-elasticsearch-error.js';

/** One operation, already written out, so its size is known. `body` is absent for a delete. */
export interface BulkLine {
  action: string;
  body: string | null;
}

export interface BulkLimits {
  maxOperations: number;
  maxBytes: number;
  /** Tries an operation gets while the server says 429. */
  maxAttempts: number;
  backoffMs: number;
}

export const DEFAULT_BULK_LIMITS: BulkLimits = {
  maxOperations: 1_000,
  maxBytes: 8 * 1024 * 1024,
  maxAttempts: 7,
  backoffMs: 100,
};

const TOO_MANY_REQUESTS = 429;
const MAX_BACKOFF_MS = 5_000;

export function indexLine(alias: string, id: string, source: object): BulkLine {
  return { action: JSON.stringify({ index: { _index: alias, _id: id } }), body: JSON.stringify(source) };
}

export function updateLine(alias: string, id: string, doc: object): BulkLine {
  return { action: JSON.stringify({ update: { _index: alias, _id: id } }), body: JSON.stringify({ doc }) };
}

export function deleteLine(alias: string, id: string): BulkLine {
  return { action: JSON.stringify({ delete: { _index: alias, _id: id } }), body: null };
}

/** The server works on one request with one core. */
const REQUESTS_AT_ONCE = 2;
/** Fewer lines are not worth a second request. */
const MIN_LINES = 256;

/**
 * Sends in requests bounded by count and bytes, two at a time: no two lines may be about the same chunk. Throws on the
 * first operation that failed for good, when no request is under way any more.
 */
export async function sendBulk(client: Client, lines: readonly BulkLine[], limits: BulkLimits): Promise<void> {
  const share = Math.max(MIN_LINES, Math.ceil(lines.length / REQUESTS_AT_ONCE));
  const batches = splitBulk(lines, { ...limits, maxOperations: Math.min(limits.maxOperations, share) });
  for (let start = 0; start < batches.length; start += REQUESTS_AT_ONCE) {
    const underWay = batches.slice(start, start + REQUESTS_AT_ONCE);
    const results = await Promise.allSettled(underWay.map((batch) => sendBatch(client, batch, limits)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
}

/** A single line larger than the bound goes alone. */
export function splitBulk(lines: readonly BulkLine[], limits: BulkLimits): BulkLine[][] {
  const batches: BulkLine[][] = [];
  let batch: BulkLine[] = [];
  let bytes = 0;
  for (const line of lines) {
    const size = Buffer.byteLength(line.action) + (line.body === null ? 0 : Buffer.byteLength(line.body)) + 2;
    if (batch.length > 0 && (batch.length >= limits.maxOperations || bytes + size > limits.maxBytes)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(line);
    bytes += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

async function sendBatch(client: Client, batch: BulkLine[], limits: BulkLimits): Promise<void> {
  let pending = batch;
  for (let attempt = 1; pending.length > 0; attempt += 1) {
    pending = await sendOnce(client, pending);
    if (pending.length === 0) return;
    if (attempt >= limits.maxAttempts) throw indexUnavailable(new Error('The server keeps refusing writes (429).'));
    const backoff = Math.min(MAX_BACKOFF_MS, limits.backoffMs * 2 ** (attempt - 1));
    await delay(backoff * (0.5 + Math.random() / 2));
  }
}

/** Returns the operations the server had no room for. */
async function sendOnce(client: Client, batch: BulkLine[]): Promise<BulkLine[]> {
  const operations = batch.flatMap(({ action, body }) => (body === null ? [action] : [action, body]));
  let response: estypes.BulkResponse;
  try {
    // The type asks for objects; the client passes strings through as they are.
    response = await client.bulk({
      operations: operations as unknown as estypes.BulkOperationContainer[],
      require_alias: true,
      // What was written is known: of each line only whether it was taken.
      filter_path: ['errors', 'items.*.status', 'items.*.error'],
    });
  } catch (error) {
    if (error instanceof errors.ResponseError && error.statusCode === TOO_MANY_REQUESTS) return batch;
    throw mapElasticsearchError(error);
  }
  if (!response.errors) return [];
  const refused: BulkLine[] = [];
  response.items.forEach((item, index) => {
    const line = batch[index];
    const [kind, result] = Object.entries(item)[0] ?? [];
    if (!result?.error || !line) return;
    if (result.status === TOO_MANY_REQUESTS) refused.push(line);
    // The chunk went in the meantime: there is nothing left to update.
    else if (kind !== 'index' && result.error.type === 'document_missing_exception') return;
    else throw mapStatus(result.status, result.error.reason ?? '', result.error);
  });
  return refused;
}
