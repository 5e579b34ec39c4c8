import { AppError, type AuditExportLine } from '@candor/contracts';
import {
  findBatch,
  listSigningKeys,
  listUnsealedEvents,
  readBatchFrom,
  readChainState,
  type TransactionRunner,
} from '@candor/persistence';
import { NO_DIGEST } from './chain/chain-model.js';

const UNSEALED_A_PAGE = 500;

/**
 * The tenant's trail line by line, batch after batch, so that none of its size is ever in memory, and no transaction waits
 * for whoever reads. It is the trail as the chain ends when it begins: what is sealed later is exported as unsealed.
 * @throws AppError RESOURCE.CONFLICT when a batch expires meanwhile, whose record would not be in what is exported
 */
export async function* exportChain(
  database: TransactionRunner,
  tenantId: string,
  fromBatch: number,
): AsyncGenerator<AuditExportLine, void, undefined> {
  const { keys, before, state } = await database.snapshot(async (transaction) => ({
    keys: await listSigningKeys(transaction),
    before: fromBatch > 1 ? await findBatch(transaction, tenantId, fromBatch - 1) : null,
    state: await readChainState(transaction, tenantId),
  }));
  const toBatch = state.batches;
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
  for (let next = fromBatch; next <= toBatch;) {
    const from = next;
    const content = await database.snapshot((transaction) => readBatchFrom(transaction, tenantId, from));
    if (!content || content.batch.batch > toBatch) break;
    // The oldest expire first: those up to this number had when the export began.
    if (content.batch.expiredAt !== null && content.batch.batch > state.expiredBatches)
      throw new AppError('RESOURCE.CONFLICT', {
        message: 'Audit events expired while they were exported: export again.',
      });
    for (const event of content.events) yield { type: 'event', event };
    yield { type: 'batch', batch: content.batch };
    counts.batches += 1;
    counts.events += content.events.length;
    next = content.batch.batch + 1;
  }
  for (let after: string | null = null; ;) {
    const page = await database.read((manager) =>
      listUnsealedEvents(manager, tenantId, { toBatch, after, limit: UNSEALED_A_PAGE }),
    );
    for (const event of page) yield { type: 'unsealed', event };
    counts.unsealed += page.length;
    after = page.at(-1)?.sequence ?? null;
    if (page.length < UNSEALED_A_PAGE) break;
  }
  yield { type: 'end', ...counts };
}
