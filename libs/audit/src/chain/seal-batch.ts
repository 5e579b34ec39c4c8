import type { ChainBatch, ChainEvent } from '@candor/contracts';
import type { AuditSigner } from './audit-keys.js';

import { digestEvent, digestHead, digestLeaves } from './digests.js';

/** The batch that continues a chain with these events, in this order. */
export function sealBatch(
  previous: { batch: number; digest: string },
  events: readonly [ChainEvent, ...ChainEvent[]],
  { signer, sealedAt }: { signer: AuditSigner; sealedAt: Date },
): ChainBatch {
  const leaves = events.map((event) => ({ eventId: event.id, digest: digestEvent(event) }));
  const head = {
    tenantId: events[0].tenantId,
    batch: previous.batch + 1,
    previousDigest: previous.digest,
    events: leaves.length,
    leavesDigest: digestLeaves(leaves),
    sealedAt: sealedAt.toISOString(),
    keyId: signer.keyId,
  };
  const digest = digestHead(head);
  return { ...head, digest, signature: signer.sign(digest), expiredAt: null, leaves };
}
