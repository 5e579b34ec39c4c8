import { AppError } from '@candor/contracts';
import {
  findBatch,
  insertBatch,
  listSealableEvents,
  lockChain,
  markChainWhole,
  registerSigningKey,
  type Transaction,
} from '@candor/persistence';
import { signatureHolds, type AuditSigner } from './chain/audit-keys.js';
import { sealBatch } from './chain/seal-batch.js';

/** Events a batch: what one transaction seals, and what a verification holds in memory. */
export const EVENTS_A_BATCH = 1_000;

export interface SealingOptions {
  signer: AuditSigner;
  /** Everything below it is sealed already; null = look at all events. */
  horizon: string | null;
  /** The chain was found broken: its end is looked at even when nothing is to be sealed, and it is whole once all is sealed. */
  isBroken?: boolean;
  limit?: number;
}

/**
 * Seals the tenant's next batch, in the caller's transaction: all of it or nothing. Two that seal at once wait for each
 * other, and the second finds what the first has left.
 * @returns events sealed; fewer than `EVENTS_A_BATCH` = nothing is left for now
 * @throws AppError AUDIT.CHAIN_BROKEN when the chain's end is not one of ours: it is not continued
 */
export async function sealNextBatch(
  transaction: Transaction,
  tenantId: string,
  { signer, horizon, isBroken = false, limit = EVENTS_A_BATCH }: SealingOptions,
): Promise<number> {
  const end = await lockChain(transaction, tenantId);
  const [first, ...others] = await listSealableEvents(transaction, tenantId, horizon, limit);
  if (first || isBroken) await requireOwnHead(transaction, tenantId, end, signer);
  const found = first ? others.length + 1 : 0;
  // Here, where the lock still keeps the end that was looked at.
  if (isBroken && found < limit) await markChainWhole(transaction, tenantId);
  if (!first) return 0;
  const previous = { batch: end.batches, digest: end.headDigest };
  const batch = sealBatch(previous, [first, ...others], { signer, sealedAt: new Date() });
  await insertBatch(transaction, batch);
  return batch.events;
}

/** Makes the public half known; refuses another one under the same id. */
export async function announceSigner(transaction: Transaction, signer: AuditSigner): Promise<void> {
  for (const [keyId, publicKey] of signer.publicKeys) {
    const known = await registerSigningKey(transaction, keyId, publicKey);
    if (known !== publicKey)
      throw new AppError('AUDIT.CHAIN_BROKEN', {
        message: `The audit key "${keyId}" is known with another public key: give the new key another id.`,
      });
  }
}

/** Whoever can write to the database but not sign must not get a forged head continued. */
async function requireOwnHead(
  transaction: Transaction,
  tenantId: string,
  end: { batches: number; headDigest: string },
  signer: AuditSigner,
): Promise<void> {
  const last = await findBatch(transaction, tenantId, 'last');
  if ((last?.batch ?? 0) !== end.batches || (last && last.digest !== end.headDigest))
    throw broken(tenantId, 'its last batch is not the one it ended with');
  if (!last) return;
  const publicKey = signer.publicKeys.get(last.keyId);
  if (publicKey === undefined) throw broken(tenantId, `its last batch is signed with the unknown key "${last.keyId}"`);
  if (!signatureHolds(last.digest, last.signature, publicKey))
    throw broken(tenantId, 'the signature of its last batch does not hold');
}

function broken(tenantId: string, what: string): AppError {
  return new AppError('AUDIT.CHAIN_BROKEN', {
    message: `The audit chain of tenant ${tenantId} is not continued: ${what}.`,
  });
}
