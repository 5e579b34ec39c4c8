import { Controller, Inject, UseInterceptors } from '@nestjs/common';
import { AppError, reasonRoute, type ReasonData, type RequestId } from '@candor/contracts';
import { CallerTokenSigner, Contract, ContractInput, requireRequestContext, type InputOf } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import type { GatewayLimits } from '../../config.js';
import { noteQuery } from '../../request/note-query.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { GATEWAY_LIMITS } from '../../tokens.js';
import { NameAnswerProviderInterceptor } from './name-answer-provider.interceptor.js';
import { PlaceQuotationsService } from './place-quotations.service.js';
import { requireAskedQuotations } from './require-asked-quotations.js';
import { ReasoningClient } from '../../upstream/reasoning.client.js';

@Controller()
@UseInterceptors(NameAnswerProviderInterceptor)
export class ReasonController {
  constructor(
    private readonly reasoning: ReasoningClient,
    private readonly quotations: PlaceQuotationsService,
    private readonly requests: RequestTransaction,
    private readonly signer: CallerTokenSigner,
    @Inject(GATEWAY_LIMITS) private readonly limits: GatewayLimits,
  ) {}

  @Contract(reasonRoute)
  async answer(@ContractInput() { body }: InputOf<typeof reasonRoute>): Promise<{ data: ReasonData }> {
    const startedAt = Date.now();
    const context = requireRequestContext();
    const { scope } = requireCaller();
    noteQuery(body);
    // Written before the work starts, so that a request whose end is never written can be closed as abandoned.
    await this.requests.recordNow({
      action: 'reason.requested',
      outcome: 'accepted',
      metadata: context.audit.metadata,
    });

    const reply = await this.reasoning.ask(
      {
        ...body,
        tenantId: scope.tenantId,
        requestId: context.requestId as RequestId,
        callerToken: this.signer.sign(scope, this.limits.reasonDeadlineMs + 60_000),
      },
      {
        deadline: new Date(startedAt + this.limits.reasonDeadlineMs),
        ...(context.signal ? { signal: context.signal } : {}),
      },
    );
    Object.assign(context.audit.metadata, reply.facts);
    if (!reply.ok) throw AppError.fromWire(reply.error);
    const { statements, ...data } = requireAskedQuotations(body, reply.data);
    const placed = statements && { statements: await this.quotations.place(statements) };
    return { data: { ...data, meta: { ...data.meta, latencyMs: Date.now() - startedAt }, ...placed } };
  }
}
