import type { AuditFacts } from '@candor/contracts';
import { computeDigest, type ReasoningResponse } from '@candor/reasoning';

/** What the audit event says of a run: ids, counts, digests and timings; never text of the corpus or of the answer. */
export function toFacts(response: ReasoningResponse): AuditFacts {
  const { evidence, trustState, calibrationIdentity, generationIdentity, diagnostics, trace } = response;
  return {
    reasoningOutcome: response.outcome,
    refusalReason: response.refusalReason,
    trust: trustState?.state ?? null,
    trustFailure: trustState?.failureCode ?? null,
    calibrationId: calibrationIdentity?.calibrationId ?? null,
    generationId: generationIdentity.generationId,
    evidenceChunkIds: (evidence?.items ?? []).map(({ chunkId }) => chunkId),
    excluded: (evidence?.excluded ?? []).length,
    citedChunkIds: response.citations.map(({ chunkId }) => chunkId),
    contradictions: response.contradictions.length,
    proposalIds: response.proposals.map(({ proposalId }) => proposalId),
    providerFailures: response.providerFailures.map(({ provider, kind }) => ({ provider, kind })),
    steps: trace.steps.length,
    budgetUsed: { ...diagnostics.budgetUsed },
    answerProvider: diagnostics.answerProvider,
    answerProviderInvoked: diagnostics.answerProviderInvoked,
    reasoningMs: Math.round(diagnostics.latencyMs),
    ...(response.answer === null ? {} : { answerDigest: computeDigest(response.answer) }),
  };
}
