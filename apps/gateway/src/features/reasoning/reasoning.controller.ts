import { Controller, Inject } from '@nestjs/common';
import {
  AppError,
  invalidField,
  reasoningRoute,
  type ReasoningBody,
  type RequestId,
  type ResponseOf,
} from '@candor/contracts';
import { CallerTokenSigner, Contract, ContractInput, requireRequestContext, type InputOf } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import type { GatewayLimits } from '../../config.js';
import { noteQuery } from '../../request/note-query.js';
import { GATEWAY_LIMITS } from '../../tokens.js';
import { ReasoningClient } from '../../upstream/reasoning.client.js';

@Controller()
export class ReasoningController {
  constructor(
    private readonly reasoning: ReasoningClient,
    private readonly signer: CallerTokenSigner,
    @Inject(GATEWAY_LIMITS) private readonly limits: GatewayLimits,
  ) {}

  /** Read-only: the one thing that stays is the audit event. */
  @Contract(reasoningRoute)
  async run(@ContractInput() { body }: InputOf<typeof reasoningRoute>): Promise<ResponseOf<typeof reasoningRoute>> {
    const startedAt = Date.now();
    const context = requireRequestContext();
    const { scope } = requireCaller();
    if (body.tenant_id !== undefined && body.tenant_id !== scope.tenantId)
      throw invalidField('tenant_id', 'must be the tenant of the API key');
    noteRequest(body);
    const reply = await this.reasoning.run(
      {
        request: body,
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
    return reply.data;
  }
}

/** Answer slots are words of the question: only how many there are is noted. */
function noteRequest({ query, policy, generation, known_as_of, budget, evidence_policy }: ReasoningBody): void {
  const { answer_slots, ...evidencePolicy } = evidence_policy ?? {};
  noteQuery({
    query,
    policy: policy ?? null,
    generation: generation ?? null,
    knownAsOf: known_as_of ?? null,
    budget: budget ?? null,
    evidencePolicy,
    answerSlots: answer_slots?.length ?? 0,
  });
}
