import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type IngestionStatus } from '@candor/contracts';
import type { ImportGateway } from '../client/import-gateway.js';
import type { ImportReport } from './import-report.js';

const POLL_MS = 1_000;

/**
 * Follows the accepted items until each is searchable or has failed; failures join the report, and so does why it could
 * not follow them to the end: what was sent is sent, and has its report.
 */
export async function waitForIndexing(
  client: ImportGateway,
  report: ImportReport,
  options: { signal: AbortSignal; onProgress: (ended: number) => void },
): Promise<void> {
  try {
    await followAll(client, report, options);
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    const { code, message, details } = cause;
    report.error = new AppError(code, {
      message: `Indexing was not followed to its end: ${message}`,
      ...(details ? { details } : {}),
      cause,
    });
  }
}

async function followAll(
  client: ImportGateway,
  report: ImportReport,
  options: { signal: AbortSignal; onProgress: (ended: number) => void },
): Promise<void> {
  let ended = 0;
  for (const requestId of report.requestIds) {
    const status = await untilDone(client, requestId, options.signal, (items) => options.onProgress(ended + items));
    ended += status.items.length;
    for (const { externalId, status: state, error } of status.items) {
      if (state === 'indexed' || state === 'skipped') report.indexed += 1;
      if (state === 'failed')
        report.failed.push({ name: externalId, type: error?.type ?? null, message: error?.message ?? 'It failed.' });
    }
    options.onProgress(ended);
  }
}

async function untilDone(
  client: ImportGateway,
  requestId: string,
  signal: AbortSignal,
  onItems: (ended: number) => void,
): Promise<IngestionStatus> {
  for (;;) {
    const status = await client.readIngestion(requestId);
    if (status.done) return status;
    onItems(status.items.filter(({ status: state }) => state === 'indexed' || state === 'failed').length);
    await sleep(POLL_MS, undefined, { signal }).catch(() => {
      throw new AppError('REQUEST.CANCELLED', { message: 'Interrupted; indexing goes on in the background.' });
    });
  }
}
