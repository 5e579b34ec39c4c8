import type { JudgedHit } from './trusted-result.js';
import type { Verdict } from './verdict.js';

/** A hit with what is known of its document, before any verdict. */
export interface RawHit extends Omit<JudgedHit, 'verdict'> {
  /** Documents that declare to supersede this one and are current themselves. */
  supersededBy: readonly string[];
  /** When the system learned of this version. */
  recordedAt: string | null;
  /** Whether text and content hash were held against the stored version. */
  verified: boolean;
  /** An entailment judge's word, where there is one. */
  entailed?: boolean | null;
}

/** Point in time and confidence that a hit is held to. */
export interface JudgedMoment {
  asOf: string;
  knownAsOf: string | null;
  /** Lowest score that is confident. */
  threshold: number;
}

/** The first rule that a hit breaks is its verdict: what is wrong with its data, then its time, then its standing, then its score. */
export function judgeHit(hit: RawHit, moment: JudgedMoment): JudgedHit {
  const {
    supersededBy: _supersededBy,
    recordedAt: _recordedAt,
    verified: _verified,
    entailed: _entailed,
    ...rest
  } = hit;
  return { ...rest, verdict: findVerdict(hit, moment) };
}

function findVerdict(hit: RawHit, { asOf, knownAsOf, threshold }: JudgedMoment): Verdict {
  const at = Date.parse(asOf);
  const from = parseInstant(hit.validFrom);
  const until = parseInstant(hit.validUntil);
  const recorded = parseInstant(hit.recordedAt);
  if (![from, until, recorded, parseInstant(hit.sourceDate)].every((time) => time === null || Number.isFinite(time))) {
    return 'invalid_metadata';
  }
  if ((from !== null && until !== null && from >= until) || hit.text.trim() === '' || !Number.isFinite(hit.score)) {
    return 'invalid_metadata';
  }
  if (!hit.verified) return 'unverified';
  // Unknown since when: it can't be said to have been known then.
  if (knownAsOf !== null && (recorded === null || recorded > Date.parse(knownAsOf))) return 'not_yet_known';
  if (from !== null && from > at) return 'not_yet_valid';
  if (until !== null && until <= at) return 'expired';
  const successors = new Set(hit.supersededBy).size;
  if (successors > 1) return 'ambiguous_supersession';
  if (successors === 1) return 'superseded';
  if (hit.score < threshold) return 'low_confidence';
  return hit.entailed === false ? 'not_entailed' : 'ok';
}

function parseInstant(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant);
}
