import { z } from 'zod';

/** What is held of a retrieved hit. Only `ok` enters an evidence bundle; all else is demoted and can't be cited. */
export const VERDICTS = [
  'ok',
  'superseded',
  'expired',
  'not_yet_valid',
  'not_yet_known',
  'low_confidence',
  'invalid_metadata',
  'ambiguous_supersession',
  'not_entailed',
  'unverified',
] as const;
export const verdictSchema = z.enum(VERDICTS);
export type Verdict = z.infer<typeof verdictSchema>;
