import type { AuditChain, AuditVerification } from '@candor/contracts';
import { formatCount } from '../words/format.js';

/** One sentence on what the chain protects, and what it doesn't. */
export function describeChain({
  sealedEvents,
  unsealedEvents,
  brokenSince,
}: Pick<AuditChain, 'sealedEvents' | 'unsealedEvents' | 'brokenSince'>): string {
  const sealed = `${formatCount(sealedEvents, 'event')} in a signed chain`;
  const unsealed = formatCount(unsealedEvents, 'event');
  // They don't wait for seconds but until somebody has mended the chain: nothing of "yet".
  if (brokenSince !== null)
    return unsealedEvents === 0
      ? `${sealed}, which is not continued.`
      : `${sealed}, which is not continued: nothing protects ${unsealed} after it.`;
  if (sealedEvents === 0) return 'Nothing is sealed yet: events are sealed within seconds after they are written.';
  if (unsealedEvents === 0) return `${sealed}; none waits for its seal.`;
  return `${sealed}; ${unsealed} so young that nothing protects ${unsealedEvents === 1 ? 'it' : 'them'} yet.`;
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
