import type { GenerationIdentity, GenerationSelection } from '../trust/generation-identity.js';

export const LINEAGE_FIELDS = ['generationId', 'pipelineFingerprint', 'corpusFingerprint'] as const;
export type LineageField = (typeof LINEAGE_FIELDS)[number];

export interface LineageCheck {
  /** Fields that both sides say, and say differently. */
  mismatched: ('tenantId' | LineageField)[];
  /** Fields that are asked for and not said by the other side. */
  unchecked: LineageField[];
}

/** Tenant, generation and fingerprints of what was served against what was asked for (seed 001, boundary checks 1 and 2). */
export function checkLineage(
  asked: { tenantId: string; generation: GenerationSelection },
  served: GenerationIdentity,
): LineageCheck {
  const mismatched: LineageCheck['mismatched'] = [];
  const unchecked: LineageField[] = [];
  if (served.tenantId !== asked.tenantId) mismatched.push('tenantId');
  for (const field of LINEAGE_FIELDS) {
    const wanted = asked.generation[field] ?? null;
    if (wanted === null) continue;
    if (served[field] === null) unchecked.push(field);
    else if (served[field] !== wanted) mismatched.push(field);
  }
  return { mismatched, unchecked };
}
