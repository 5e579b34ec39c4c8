import type { AuditChain, AuditVerification } from '@candor/contracts';
import { formatCount } from '../words/format.js';

/** One sentence on what the chain protects, and what it doesn't yet. */
export function describeChain({
  sealedEvents,
  unsealedEvents,
}: Pick<AuditChain, 'sealedEvents' | 'unsealedEvents'>): string {
  if (sealedEvents === 0) return 'Nothing is sealed yet: events are sealed within seconds after they are written.';
  const sealed = `${formatCount(sealedEvents, 'event')} in a signed chain`;
  if (unsealedEvents === 0) return `${sealed}; none waits for its seal.`;
  return `${sealed}; ${formatCount(unsealedEvents, 'event')} so young that nothing protects ${unsealedEvents === 1 ? 'it' : 'them'} yet.`;
}

export interface ChainCheck {
  intact: boolean;
  findings: AuditVerification['findings'];
  events: number;
  batches: number;
}

/** A chain is intact when each of its parts is. */
export function addVerification(before: ChainCheck | undefined, part: AuditVerification): ChainCheck {
  const { intact, findings, events, fromBatch, toBatch } = part;
  return {
    intact: intact && (before?.intact ?? true),
    findings: [...(before?.findings ?? []), ...findings],
    events: events + (before?.events ?? 0),
    batches: (toBatch === null ? 0 : toBatch - fromBatch + 1) + (before?.batches ?? 0),
  };
}
