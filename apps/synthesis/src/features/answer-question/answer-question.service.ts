import {
  AppError,
  findPassagesRequestSchema,
  type AnswerQuestionPayload,
  type AuditFacts,
  type Evidence,
  type FindPassagesRequest,
  type ReasoningReply,
  type RetrievalCall,
  type RetrievalClient,
  type SynthesizedAnswer,
} from '@candor/contracts';
import { answerQuestion, loadTokenCounter, type AnswerProvider, type TokenCounter } from '@candor/reasoning';
import { throwIfAborted } from '../../answer-providers/abort-error.js';
import { withinDeadline } from '../../within-deadline.js';

export interface AnswerQuestionDependencies {
  retrieval: RetrievalClient;
  /** The provider that answers one caller's question. */
  providerFor: (call: RetrievalCall) => AnswerProvider;
  /** The engine's own counter when absent. */
  countTokens?: TokenCounter;
  /** Milliseconds since the epoch; `Date.now` when absent. */
  now?: () => number;
  /** Gets every failure with its cause, for the log: the reply carries neither cause nor content, and nothing else tells. */
  reportError?: (error: AppError, requestId: string) => void;
}

/** Runs one reason request from job to reply: deadline, retrieval, and the engine of `@candor/reasoning`. Keeps nothing. */
export class AnswerQuestionService {
  private readonly now: () => number;

  constructor(private readonly dependencies: AnswerQuestionDependencies) {
    this.now = dependencies.now ?? Date.now;
  }

  /** Never rejects: a failure is a reply too, with the facts known by then. `cancelled` is the caller hanging up. */
  async answer(payload: AnswerQuestionPayload, cancelled?: AbortSignal): Promise<ReasoningReply> {
    const { requestId } = payload;
    const facts: AuditFacts = {};
    try {
      const data = await withinDeadline({ deadline: payload.deadline, now: this.now, cancelled }, (signal) =>
        this.run(payload, signal, facts),
      );
      return { ok: true, requestId, data, facts };
    } catch (error) {
      const failure = AppError.from(error);
      this.dependencies.reportError?.(failure, requestId);
      return { ok: false, requestId, error: failure.toWire(), facts };
    }
  }

  private async run(
    payload: AnswerQuestionPayload,
    signal: AbortSignal,
    facts: AuditFacts,
  ): Promise<SynthesizedAnswer> {
    const { providerFor, countTokens = await loadTokenCounter() } = this.dependencies;
    const { now } = this;
    const startedAt = now();
    const evidence = await this.retrieve(payload, signal, facts);
    throwIfAborted(signal);
    const { data } = await answerQuestion({
      query: payload.query,
      limit: payload.limit,
      maxTokens: payload.maxTokens,
      scoped: isScoped(payload),
      includeQuotations: payload.includeQuotations,
      evidence,
      answerProvider: providerFor({ requestId: payload.requestId, callerToken: payload.callerToken }),
      countTokens,
      now,
      signal,
      recordFacts: (more) => Object.assign(facts, more),
    });
    throwIfAborted(signal);
    return { ...data, meta: { ...data.meta, latencyMs: Math.max(0, Math.round(now() - startedAt)) } };
  }

  private async retrieve(payload: AnswerQuestionPayload, signal: AbortSignal, facts: AuditFacts): Promise<Evidence> {
    const startedAt = this.now();
    try {
      const reply = await this.dependencies.retrieval.call(
        'findPassages',
        { requestId: payload.requestId, callerToken: payload.callerToken },
        toRequest(payload),
        { deadline: new Date(payload.deadline), signal },
      );
      facts['retrieval'] = reply.facts;
      facts['bestScore'] = reply.result.bestScore;
      return reply.result;
    } catch (error) {
      // A scope that is absent or out of reach gives the no-evidence answer, never a 404 (seed 000).
      if (isScoped(payload) && error instanceof AppError && error.code === 'RESOURCE.NOT_FOUND') {
        return { passages: [], bestScore: 0, relevant: false };
      }
      throw error;
    } finally {
      facts['retrievalMs'] = Math.max(0, Math.round(this.now() - startedAt));
    }
  }
}

function isScoped(payload: AnswerQuestionPayload): boolean {
  return payload.documentId !== undefined || payload.collectionId !== undefined;
}

function toRequest({ query, limit, documentId, collectionId }: AnswerQuestionPayload): FindPassagesRequest {
  const request = findPassagesRequestSchema.safeParse({
    query,
    limit,
    ...(documentId === undefined ? {} : { documentId }),
    ...(collectionId === undefined ? {} : { collectionId }),
  });
  if (request.success) return request.data;
  const fields = request.error.issues.map((issue) => issue.path.join('.'));
  throw new AppError('JOB.INVALID_PAYLOAD', { details: { fields }, cause: request.error });
}
