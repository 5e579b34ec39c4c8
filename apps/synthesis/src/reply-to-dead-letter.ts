import { AppError, isErrorCode, queuedRunAddressSchema, type ReasoningReplyEnvelope } from '@candor/contracts';
import type { DeadLetter } from '@candor/queue';

/** What to tell the gateway that waits; null when the payload doesn't say who that is. */
export function replyToDeadLetter({
  payload,
  error,
}: Pick<DeadLetter, 'payload' | 'error'>): { replyTo: string; envelope: ReasoningReplyEnvelope } | null {
  const address = queuedRunAddressSchema.safeParse(payload).data;
  if (!address) return null;
  const { requestId, runId, replyTo } = address;
  const code = isErrorCode(error.type) ? error.type : 'INTERNAL.UNEXPECTED';
  const wire = new AppError(code, { message: error.message }).toWire();
  return { replyTo, envelope: { runId, reply: { ok: false, requestId, error: wire, facts: {} } } };
}
