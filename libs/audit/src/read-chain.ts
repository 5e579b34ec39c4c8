import type { AuditChain, AuditHead, AuditVerification, ChainBatch } from '@candor/contracts';
import {
  findBatch,
  findChainEnd,
  findLastExpired,
  listErasureEvents,
  listExpiryEvents,
  listSigningKeys,
  listStrayEvents,
  readBatchFrom,
  readChainState,
  type Transaction,
} from '@candor/persistence';
import { ChainWalk } from './chain/verify-chain.js';

const MOST_STRAYS = 100;

/** How far the tenant's trail is sealed, with the head that somebody else may keep. */
export async function readChain(transaction: Transaction, tenantId: string): Promise<AuditChain> {
  const { oldestUnsealedAt, brokenSince, ...state } = await readChainState(transaction, tenantId);
  const head = await findBatch(transaction, tenantId, 'last');
  const keys = await listSigningKeys(transaction);
  return {
    tenantId,
    ...state,
    oldestUnsealedAt: oldestUnsealedAt?.toISOString() ?? null,
    brokenSince: brokenSince?.toISOString() ?? null,
    head: head && toHead(head),
    keys: keys.map(({ firstUsedAt, ...key }) => ({ ...key, firstUsedAt: firstUsedAt.toISOString() })),
  };
}

/**
 * Recomputes a bounded part of the chain from what is stored. In a snapshot, or what is sealed and what expires meanwhile
 * would look like a finding.
 */
export async function verifyChain(
  transaction: Transaction,
  tenantId: string,
  { fromBatch, mostBatches }: { fromBatch: number; mostBatches: number },
): Promise<AuditVerification> {
  const [keys, before, expiries, lastExpired, end] = [
    await listSigningKeys(transaction),
    fromBatch > 1 ? await findBatch(transaction, tenantId, fromBatch - 1) : null,
    await listExpiryEvents(transaction, tenantId),
    await findLastExpired(transaction, tenantId),
    await findChainEnd(transaction, tenantId),
  ];
  const walk = new ChainWalk({
    keys: new Map(keys.map(({ keyId, publicKey }) => [keyId, publicKey])),
    previous: before ? { batch: before.batch, digest: before.digest, isKept: before.expiredAt === null } : undefined,
    // Without the number of batches kept apart, a chain without its last ones would look whole.
    keptHeads: end && end.batches >= fromBatch ? [{ batch: end.batches, digest: end.headDigest }] : [],
  });
  for (const event of expiries) walk.noteExpiry(event);
  if (lastExpired) walk.noteExpired(lastExpired);
  for (const event of await listErasureEvents(transaction, tenantId)) walk.noteErasure(event);
  let nextBatch: number | null = fromBatch;
  for (let looked = 0; looked < mostBatches && nextBatch !== null; looked += 1) {
    const content = await readBatchFrom(transaction, tenantId, nextBatch);
    if (content) walk.add(content.batch, content.events);
    nextBatch = content ? content.batch.batch + 1 : null;
  }
  const isComplete = nextBatch === null;
  if (isComplete) for (const id of await listStrayEvents(transaction, tenantId, MOST_STRAYS)) walk.noteStray(id);
  walk.finish({ isComplete });
  const state = await readChainState(transaction, tenantId);
  return {
    intact: walk.findings.length === 0,
    findings: walk.findings,
    fromBatch,
    toBatch: walk.last?.batch ?? null,
    nextBatch,
    events: walk.events,
    expiredBatches: walk.expiredBatches,
    expiredEvents: walk.expiredEvents,
    erasedEvents: walk.erasedEvents,
    unsealedEvents: state.unsealedEvents,
    oldestUnsealedAt: state.oldestUnsealedAt?.toISOString() ?? null,
    head: walk.last && toHead(walk.last),
  };
}

export function toHead({ tenantId: _tenant, expiredAt: _expired, leaves: _leaves, ...head }: ChainBatch): AuditHead {
  return head;
}
