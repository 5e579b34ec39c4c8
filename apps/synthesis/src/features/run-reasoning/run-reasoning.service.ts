import {
  AppError,
  reasoningResponseSchema,
  type AuditFacts,
  type RetrievalCall,
  type RetrievalClient,
  type RunReasoningPayload,
  type RunReasoningReply,
} from '@candor/contracts';
import {
  createRuleBasedExpansionProvider,
  createRuleBasedProposalProvider,
  reason,
  reasoningResponseToJson,
  type ReasoningAnswerProvider,
  type ReasoningResponse,
} from '@candor/reasoning';
import { withinDeadline } from '../../within-deadline.js';
import { createRetrievalPorts, tellRefusal } from './retrieval-ports.js';
import { toFacts } from './to-facts.js';
import { toReasoningRequest } from './to-reasoning-request.js';

export interface RunReasoningDependencies {
  retrieval: RetrievalClient;
  /** The provider that answers one caller's request. */
  providerFor: (call: RetrievalCall) => ReasoningAnswerProvider;
  /** Milliseconds since the epoch; `Date.now` when absent. */
  now?: () => number;
  /** Gets every failure with its cause, for the log. */
  reportError?: (error: AppError, requestId: string) => void;
}

const RETRIEVER_DEADLINE_MS = 10_000;
/** Left of the deadline for the way back, so that whoever was too slow is told in band: at most so much, and so great a share. */
const KEPT_BACK_MS = 2_000;
const KEPT_BACK_SHARE = 0.25;

/** Runs one typed reasoning request from job to reply, with the real ports. Keeps nothing. */
export class RunReasoningService {
  private readonly now: () => number;

  constructor(private readonly dependencies: RunReasoningDependencies) {
    this.now = dependencies.now ?? Date.now;
  }

  /** Never rejects. Failures of providers are in the response; a reply that isn't ok is the caller's, or ours. */
  async run(payload: RunReasoningPayload, cancelled?: AbortSignal): Promise<RunReasoningReply> {
    const { requestId, deadline } = payload;
    const facts: AuditFacts = {};
    try {
      const response = await withinDeadline({ deadline, now: this.now, cancelled }, (signal, remainingMs) =>
        this.reason(payload, signal, remainingMs, facts),
      );
      Object.assign(facts, toFacts(response));
      return { ok: true, requestId, data: reasoningResponseSchema.parse(reasoningResponseToJson(response)), facts };
    } catch (error) {
      const failure = AppError.from(error);
      this.dependencies.reportError?.(failure, requestId);
      return { ok: false, requestId, error: failure.toWire(), facts };
    }
  }

  private async reason(
    payload: RunReasoningPayload,
    signal: AbortSignal,
    remainingMs: number,
    facts: AuditFacts,
  ): Promise<ReasoningResponse> {
    const { retrieval, providerFor } = this.dependencies;
    const { tenantId, requestId, callerToken, request } = payload;
    const retrievals: AuditFacts[] = [];
    facts['retrieval'] = retrievals;
    const refused = new AbortController();
    const refuse = (error: AppError): void => refused.abort(error);
    const ports = createRetrievalPorts(
      retrieval,
      { requestId, callerToken },
      { record: (more) => retrievals.push(more), refuse },
    );
    const writer = providerFor({ requestId, callerToken });
    const providers = {
      ...ports,
      proposalProvider: createRuleBasedProposalProvider(),
      expansionProvider: createRuleBasedExpansionProvider(),
      // Before a tenant's content goes to a model it is asked for its consent, with the caller's key.
      answerProvider: {
        get name() {
          return writer.name;
        },
        answer: (...prompt: Parameters<typeof writer.answer>) => tellRefusal(() => writer.answer(...prompt), refuse),
      },
    };
    return reason(toReasoningRequest(request, tenantId, providers, AbortSignal.any([signal, refused.signal])), {
      now: this.now,
      retrieverDeadlineMs: RETRIEVER_DEADLINE_MS,
      answerDeadlineMs: remainingMs,
      deadlineMs: remainingMs - Math.min(KEPT_BACK_MS, remainingMs * KEPT_BACK_SHARE),
    });
  }
}
