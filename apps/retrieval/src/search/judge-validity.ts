import type { ValidityState } from '@candor/contracts';

/** @param at the instant asked about. Half open: `validUntil` itself is the first instant of not holding any more. */
export function judgeValidity(
  { validFrom, validUntil }: { validFrom: Date | null; validUntil: Date | null },
  at: Date,
): ValidityState {
  if (validFrom !== null && at < validFrom) return 'not_yet_valid';
  return validUntil !== null && at >= validUntil ? 'expired' : 'valid';
}
