import { z } from 'zod';
import { requestIdSchema } from '../ids.js';
import { reasonDataSchema } from '../v1/reason.route.js';
import { reasoningResponseSchema } from '../v1/reasoning.route.js';
import { auditFactsSchema } from './retrieval.messages.js';

export const wireErrorSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).nullable(),
  retryAfterSeconds: z.number().optional(),
});

const replyWith = <Data extends z.ZodType>(data: Data) =>
  z.discriminatedUnion('ok', [
    z.strictObject({ ok: z.literal(true), requestId: requestIdSchema, data, facts: auditFactsSchema }),
    z.strictObject({
      ok: z.literal(false),
      requestId: requestIdSchema,
      error: wireErrorSchema,
      facts: auditFactsSchema,
    }),
  ]);

/** Where a quotation stands in the chunk that was shown; where that chunk stands in its source, the gateway looks up. */
const locatedQuotationSchema = z.strictObject({
  chunkId: z.string(),
  /** The chunk's own words from `start` to `end`. */
  quotation: z.string(),
  /** UTF-16 offsets into the chunk's content, the end exclusive. */
  start: z.number().int().nonnegative(),
  end: z.number().int().nonnegative(),
});
const locatedStatementSchema = z.strictObject({ text: z.string(), quotations: z.array(locatedQuotationSchema).min(1) });
export type LocatedStatement = z.infer<typeof locatedStatementSchema>;

/** The answer as synthesis knows it. */
const synthesizedAnswerSchema = reasonDataSchema.extend({ statements: z.array(locatedStatementSchema).optional() });
export type SynthesizedAnswer = z.infer<typeof synthesizedAnswerSchema>;

/** What synthesis sends to the waiting gateway over the reply channel. */
export const reasoningReplySchema = replyWith(synthesizedAnswerSchema);
export type ReasoningReply = z.infer<typeof reasoningReplySchema>;

/** The same for a typed reasoning run. */
export const runReasoningReplySchema = replyWith(reasoningResponseSchema);
export type RunReasoningReply = z.infer<typeof runReasoningReplySchema>;

/** The reply and the run that it ends. */
export const reasoningReplyEnvelopeSchema = z.strictObject({ runId: z.guid(), reply: z.unknown() });
export interface ReasoningReplyEnvelope {
  runId: string;
  reply: ReasoningReply | RunReasoningReply;
}

/** What a gateway sends to every synthesis instance when its caller hangs up. */
export const reasoningCancelSchema = z.strictObject({ runId: z.guid() });
export const REASONING_CANCEL_CHANNEL = 'candor.reasoning.cancel';
