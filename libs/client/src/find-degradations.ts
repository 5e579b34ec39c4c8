import type { ContextContract11 } from '@candor/contracts';

type Exclusion = ContextContract11['exclusions'][number]['type'];
type Limitation = ContextContract11['limitations'][number]['code'];

/**
 * Exclusions by which the caller lacks what it should have had. The others are no defect: out of the key's scope, below
 * the floor, superseded, not yet known, a duplicate.
 */
const DEGRADING_EXCLUSIONS = new Set<Exclusion>(['access_unknown', 'source_stale', 'source_error']);
/** Limitations by which a hit may be older or more private than it looks. */
const DEGRADING_LIMITATIONS = new Set<Limitation>(['missing_sync_timestamp', 'missing_source_access_policy']);

/** Why the result is less than it should be, in words; empty when it isn't. */
export function findDegradations({ exclusions, limitations }: ContextContract11): string[] {
  return [
    ...exclusions
      .filter(({ type }) => DEGRADING_EXCLUSIONS.has(type))
      .map(({ type, provider, reason }) => `${type}${provider === null ? '' : ` (${provider})`}: ${reason}`),
    ...limitations
      .filter(({ code }) => DEGRADING_LIMITATIONS.has(code))
      .map(({ code, message }) => `${code}: ${message}`),
  ];
}
