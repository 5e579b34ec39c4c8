import type { AuditExportLine } from '@candor/contracts';
import {
  findBatch,
  listSigningKeys,
  listUnsealedEvents,
  readBatchFrom,
  type TransactionRunner,
} from '@candor/persistence';
import { NO_DIGEST } from './chain/chain-model.js';

const UNSEALED_A_PAGE = 500;

/** The tenant's trail line by line, batch after batch, so that none of its size is ever in memory. */
export async function* exportChain(
  database: TransactionRunner,
  tenantId: string,
  fromBatch: number,
): AsyncGenerator<AuditExportLine, void, undefined> {
  const keys = await database.read((manager) => listSigningKeys(manager));
  const before = fromBatch > 1 ? await database.read((manager) => findBatch(manager, tenantId, fromBatch - 1)) : null;
  yield {
    type: 'chain',
    version: 1,
    tenantId,
    exportedAt: new Date().toISOString(),
    fromBatch,
    previousDigest: before?.digest ?? NO_DIGEST,
    keys: keys.map(({ keyId, publicKey }) => ({ keyId, publicKey })),
  };
  const counts = { batches: 0, events: 0, unsealed: 0 };
  for (let next = fromBatch; ;) {
    const content = await database.read((manager) => readBatchFrom(manager, tenantId, next));
    if (!content) break;
    for (const event of content.events) yield { type: 'event', event };
    yield { type: 'batch', batch: content.batch };
    counts.batches += 1;
    counts.events += content.events.length;
    next = content.batch.batch + 1;
  }
  for (let after: string | null = null; ;) {
    const page = await database.read((manager) => listUnsealedEvents(manager, tenantId, after, UNSEALED_A_PAGE));
    for (const event of page) yield { type: 'unsealed', event };
    counts.unsealed += page.length;
    after = page.at(-1)?.sequence ?? null;
    if (page.length < UNSEALED_A_PAGE) break;
  }
  yield { type: 'end', ...counts };
}
