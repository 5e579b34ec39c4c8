import { z } from 'zod';
import { requestIdSchema } from '../ids.js';
import { defineRoute } from './define-route.js';

export const FEEDBACK_RATINGS = ['positive', 'negative'] as const;
export type FeedbackRating = (typeof FEEDBACK_RATINGS)[number];

export const feedbackBodySchema = z
  .strictObject({
    /** Of a request of this tenant that asked a question. */
    requestId: requestIdSchema,
    rating: z.enum(FEEDBACK_RATINGS),
    note: z.string().trim().min(1).max(4000).optional(),
    /**
     * Whether the corpus answers the question; a label for calibration. Default: yes after a good answer or a bad
     * refusal, no after a good refusal, unknown after a bad answer.
     */
    answerable: z.boolean().optional(),
  })
  .meta({ id: 'FeedbackRequest' });
export type FeedbackBody = z.infer<typeof feedbackBodySchema>;

export const feedbackSchema = z
  .strictObject({
    id: z.guid(),
    requestId: requestIdSchema,
    rating: z.enum(FEEDBACK_RATINGS),
    note: z.string().nullable(),
    /** The label that it gives to calibration; null = none, as for a request that saw a part of the corpus only (scope, time, or a restricted key). */
    answerable: z.boolean().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Feedback' });
export type Feedback = z.infer<typeof feedbackSchema>;

export const feedbackRoute = defineRoute({
  method: 'POST',
  path: '/v1/feedback',
  summary: 'Say whether an answer was right',
  description:
    'A key rates a request once; a second rating replaces the first. The question itself is kept for calibration only where the tenant keeps query texts. ' +
    'A request that was narrowed (scope, time) or made with a restricted key gives no label; a label holds until the corpus has grown or shrunk past the bound of a calibration.',
  action: 'reason',
  audit: 'feedback.create',
  body: feedbackBodySchema,
  response: z.strictObject({ data: feedbackSchema }),
  status: 201,
  idempotent: true,
});
