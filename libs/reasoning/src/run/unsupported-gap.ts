import { z } from 'zod';

/** What the evidence doesn't establish. */
export const unsupportedGapSchema = z.strictObject({
  kind: z.enum(['no_evidence', 'answer_slot', 'unretrieved_successor', 'unfinished_planning']),
  /** The slot, the document's id, or the bound. */
  name: z.string().nullable(),
  detail: z.string(),
});
export type UnsupportedGap = z.infer<typeof unsupportedGapSchema>;
