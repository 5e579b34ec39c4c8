import {
  AUDIT_FINDINGS,
  type AuditFinding,
  type AuditFindingType,
  type ChainBatch,
  type ChainEvent,
  type ChainLeaf,
} from '@candor/contracts';
import { signatureHolds, type PublicKeys } from './audit-keys.js';
import { digestEvent, digestHead, digestLeaves, erasableHolds } from './digests.js';

type Report = (type: AuditFindingType, eventId?: string) => void;

/** What is wrong with one batch and its events, given in the order of the batch; [] = nothing. */
export function verifyBatch(batch: ChainBatch, events: readonly ChainEvent[], keys: PublicKeys): AuditFinding[] {
  const findings: AuditFinding[] = [];
  const report: Report = (type, eventId) =>
    void findings.push({ type, batch: batch.batch, eventId: eventId ?? null, message: AUDIT_FINDINGS[type] });
  verifyHead(batch, keys, report);
  if (batch.expiredAt !== null && batch.leaves.length === 0 && events.length === 0) return findings;
  const byId = new Map(events.map((event) => [event.id, event]));
  const leaves = verifyLeaves(batch, byId, report);
  verifyEvents(leaves, byId, report);
  verifyOrder(leaves, events, report);
  return findings;
}

function verifyHead(batch: ChainBatch, keys: PublicKeys, report: Report): void {
  const digest = digestHead(batch);
  if (digest !== batch.digest) report('batch_altered');
  const publicKey = keys.get(batch.keyId);
  if (publicKey === undefined) report('key_unknown');
  else if (!signatureHolds(batch.digest, batch.signature, publicKey)) report('signature_invalid');
}

/** The leaves that were signed, as far as they can be told; what differs from them is reported. */
function verifyLeaves(batch: ChainBatch, events: ReadonlyMap<string, ChainEvent>, report: Report): ChainLeaf[] {
  const { leaves } = batch;
  const isSigned = (candidate: readonly ChainLeaf[]): boolean => digestLeaves(candidate) === batch.leavesDigest;
  if (isSigned(leaves)) return leaves;

  const recomputed = leaves.map((leaf) => {
    const event = events.get(leaf.eventId);
    return event ? { eventId: leaf.eventId, digest: digestEvent(event) } : leaf;
  });
  if (isSigned(recomputed)) {
    for (const [index, leaf] of leaves.entries())
      if (leaf.digest !== recomputed[index]?.digest) report('record_altered', leaf.eventId);
    return recomputed;
  }
  const inOrder = [...leaves].sort((left, right) =>
    compareSequences(events.get(left.eventId), events.get(right.eventId)),
  );
  if (isSigned(inOrder)) {
    for (const [index, leaf] of leaves.entries()) if (leaf !== inOrder[index]) report('event_reordered', leaf.eventId);
    return inOrder;
  }
  report('batch_altered');
  return leaves;
}

function verifyEvents(leaves: readonly ChainLeaf[], events: ReadonlyMap<string, ChainEvent>, report: Report): void {
  const altered: { leaf: ChainLeaf; event: ChainEvent }[] = [];
  for (const leaf of leaves) {
    const event = events.get(leaf.eventId);
    if (!event) report('event_missing', leaf.eventId);
    else if (digestEvent(event) !== leaf.digest) altered.push({ leaf, event });
    else if (!erasableHolds(event)) report('event_altered', leaf.eventId);
  }
  const places = altered.map(({ event }) => event.sequence);
  for (const { leaf, event } of altered) {
    const isMoved = places.some((sequence) => digestEvent({ ...event, sequence }) === leaf.digest);
    report(isMoved ? 'event_reordered' : 'event_altered', leaf.eventId);
  }
}

function verifyOrder(leaves: readonly ChainLeaf[], events: readonly ChainEvent[], report: Report): void {
  const places = new Map(leaves.map(({ eventId }, index) => [eventId, index]));
  const seen = new Set<string>();
  const known: string[] = [];
  for (const { id } of events) {
    if (!places.has(id) || seen.has(id)) report('event_inserted', id);
    else known.push(id);
    seen.add(id);
  }
  const sorted = [...known].sort((left, right) => (places.get(left) ?? 0) - (places.get(right) ?? 0));
  for (const [index, id] of known.entries()) if (sorted[index] !== id) report('event_reordered', id);
}

function compareSequences(left: ChainEvent | undefined, right: ChainEvent | undefined): number {
  const difference = BigInt(left?.sequence ?? 0) - BigInt(right?.sequence ?? 0);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
