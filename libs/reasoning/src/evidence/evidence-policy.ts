import { z } from 'zod';

/** A part that an answer has to have. Filled when one item holds all words of one of the terms, whatever their form. */
export const answerSlotSchema = z.strictObject({
  name: z.string().trim().min(1).max(100),
  terms: z.array(z.string().trim().min(1).max(200)).min(1).max(10),
});
export type AnswerSlot = z.infer<typeof answerSlotSchema>;

export const evidencePolicySchema = z.strictObject({
  /** Most items in a bundle. */
  maxItems: z.number().int().min(1).max(50).default(5),
  /** Retrieval's order; else by score. */
  preserveOrder: z.boolean().default(true),
  /** Leave out items that say in other order what an earlier one says. */
  semanticDeduplication: z.boolean().default(false),
  /** A slot that stays empty makes the run abstain with `answer_slot_gap`. */
  answerSlots: z.array(answerSlotSchema).max(10).default([]),
});
export type EvidencePolicy = z.output<typeof evidencePolicySchema>;
export type EvidencePolicyInput = z.input<typeof evidencePolicySchema>;

export const DEFAULT_EVIDENCE_POLICY: EvidencePolicy = evidencePolicySchema.parse({});
