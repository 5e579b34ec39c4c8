import { Injectable } from '@nestjs/common';
import type { AuditEventInput, AuditOutcome } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import { Database, storeIdempotentResponse, type Transaction } from '@candor/persistence';
import { requireRequestContext, type RequestContext } from '@candor/runtime';
import { requireCaller } from '../access/caller.js';
import { AuditCommits } from './audit-commits.js';

export interface RunOptions {
  /** A tenant that this request is making, or works at beside its own. */
  alsoOf?: string;
  /** What the caller hears isn't known yet when the change is committed: `IdempotencyInterceptor` keeps it when it is. */
  answersLater?: boolean;
}

/**
 * One commit for a request: its change, its audit event and, with an `Idempotency-Key`, its response.
 * What could not be recorded did not happen.
 */
@Injectable()
export class RequestTransaction {
  private readonly reads: AuditCommits;

  constructor(private readonly database: Database) {
    this.reads = new AuditCommits(database);
  }

  /** `work` returns the response body. */
  async run<Response>(
    work: (transaction: Transaction) => Promise<Response>,
    { alsoOf, answersLater = false }: RunOptions = {},
  ): Promise<Response> {
    const context = requireRequestContext();
    const caller = requireCaller();
    const keepsAnswer = !answersLater && caller.idempotencyKey !== undefined;
    const tenants = [caller.scope.tenantId, ...(alsoOf === undefined ? [] : [alsoOf])];
    const response = await this.database.forTenants(tenants).transaction(async (transaction) => {
      const result = await work(transaction);
      await writeAuditEvents(transaction, [eventOf(context, context.audit.outcome ?? 'succeeded')]);
      if (keepsAnswer) await keepAnswer(transaction, result);
      return result;
    });
    context.audit.committed = true;
    if (keepsAnswer) caller.isAnswerKept = true;
    return response;
  }

  /** Commits the audit event of a request that changed nothing. */
  async recordRead(outcome: AuditOutcome): Promise<void> {
    const context = requireRequestContext();
    await this.reads.commit(eventOf(context, outcome));
    context.audit.committed = true;
  }

  /** An event beside the request's own one, in a commit of its own: work that begins before its outcome is known. */
  async recordNow(event: Pick<AuditEventInput, 'action' | 'outcome' | 'metadata'>): Promise<void> {
    const base = eventOf(requireRequestContext(), event.outcome);
    await this.database.read((manager) => writeAuditEvents(manager, [{ ...base, ...event }]));
  }
}

/** For whoever sends the request again under its `Idempotency-Key`. */
export async function keepAnswer(transaction: Transaction, body: unknown): Promise<void> {
  const { route } = requireRequestContext();
  const { apiKey, idempotencyKey } = requireCaller();
  if (idempotencyKey === undefined || !route) return;
  await storeIdempotentResponse(transaction, apiKey.id, idempotencyKey, { status: route.status, body });
}

/** The request's own event, from what its handler said about it. */
export function eventOf(context: RequestContext, outcome: AuditOutcome): AuditEventInput {
  const { scope } = requireCaller();
  const action = context.audit.action ?? context.route?.audit;
  if (!action) throw new Error('a request without a route has no audit action');
  return {
    tenantId: scope.tenantId,
    requestId: context.requestId,
    action,
    outcome,
    actorApiKeyId: scope.apiKeyId,
    actorType: scope.actorType,
    targetType: context.audit.targetType ?? null,
    targetId: context.audit.targetId ?? null,
    metadata: context.audit.metadata,
  };
}
