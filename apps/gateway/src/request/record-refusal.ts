import type { AppError, AuditOutcome } from '@candor/contracts';
import type { RequestContext } from '@candor/runtime';
import type { RequestTransaction } from './request-transaction.service.js';

/** An authenticated request that fails is audited too, before the error is answered. */
export async function recordRefusal(
  requests: RequestTransaction,
  context: RequestContext,
  error: AppError,
): Promise<void> {
  if (!context.caller || context.audit.committed) return;
  // Without a route there is nothing else that it could be called: an unknown path, or a body that was never looked at.
  const denied = error.status === 403 || error.status === 429 || !context.route;
  if (denied) context.audit.action = 'access.denied';
  Object.assign(context.audit.metadata, {
    errorType: error.code,
    ...(denied && context.route ? { attempted: context.route.audit } : {}),
  });
  await requests.recordRead(outcomeOf(error, denied));
}

function outcomeOf(error: AppError, denied: boolean): AuditOutcome {
  if (denied) return 'denied';
  return error.status >= 500 ? 'failed' : 'refused';
}
