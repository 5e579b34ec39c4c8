import type { AnswerableBundle, EvidenceBundle } from '../evidence/evidence-bundle.js';
import { unknownIdentity } from '../trust/generation-identity.js';
import type {
  AbstainedResponse,
  AnsweredResponse,
  NeedsClarificationResponse,
  NeedsReviewResponse,
  ReasoningDiagnostics,
} from './reasoning-response.js';
import type { AbstentionReason, RefusalReason, ReviewReason } from './refusal-reason.js';
import type { RunState } from './run-state.js';
import type { UnsupportedGap } from './unsupported-gap.js';

const CLARIFICATION = 'Please ask a question: the query is blank.';

export function clarify(run: RunState): NeedsClarificationResponse {
  return {
    ...gatherCommon(run, 'empty_query'),
    outcome: 'needs_clarification',
    answer: null,
    clarificationRequest: CLARIFICATION,
    evidence: null,
    citations: [],
    calibrationIdentity: null,
    generationIdentity: unknownIdentity(run.request.tenantId),
    trustState: null,
    refusalReason: 'empty_query',
  };
}

export function abstain(run: RunState, evidence: EvidenceBundle, refusalReason: AbstentionReason): AbstainedResponse {
  return { ...gatherUnanswered(run, evidence, refusalReason), outcome: 'abstained', refusalReason };
}

export function askForReview(
  run: RunState,
  evidence: EvidenceBundle,
  refusalReason: ReviewReason,
): NeedsReviewResponse {
  return { ...gatherUnanswered(run, evidence, refusalReason), outcome: 'needs_review', refusalReason };
}

export function composeAnswered(
  run: RunState,
  evidence: AnswerableBundle,
  { answer, citations }: Pick<AnsweredResponse, 'answer' | 'citations'>,
): AnsweredResponse {
  return {
    ...gatherCommon(run, 'answered'),
    ...describeEvidence(run, evidence),
    outcome: 'answered',
    answer,
    clarificationRequest: null,
    citations,
    refusalReason: null,
  };
}

function gatherUnanswered(run: RunState, evidence: EvidenceBundle, stopReason: RefusalReason) {
  return {
    ...gatherCommon(run, stopReason),
    ...describeEvidence(run, evidence),
    answer: null,
    clarificationRequest: null,
    citations: [] as [],
  };
}

function describeEvidence<Bundle extends EvidenceBundle>(run: RunState, evidence: Bundle) {
  return {
    evidence,
    calibrationIdentity: run.calibration,
    unsupportedGaps: [...run.gaps, ...listEvidenceGaps(evidence)],
    generationIdentity: evidence.identity,
    trustState: evidence.trustState,
  };
}

/** What was withheld for want of certification may be there all the same, so that is no gap. */
function listEvidenceGaps(evidence: EvidenceBundle): UnsupportedGap[] {
  if (evidence.reasonCode === 'uncertified_evidence') return [];
  const slots = evidence.missingSlots.map((name): UnsupportedGap => ({
    kind: 'answer_slot',
    name,
    detail: 'No item of the evidence fills this slot.',
  }));
  if (evidence.items.length > 0) return slots;
  return [{ kind: 'no_evidence', name: null, detail: 'No trusted evidence was retrieved for this query.' }, ...slots];
}

function gatherCommon(run: RunState, stopReason: 'answered' | RefusalReason) {
  return {
    schemaVersion: 1 as const,
    proposals: run.proposals,
    providerFailures: run.failures,
    trace: { steps: run.recorder.steps, stopReason },
    contradictions: run.contradictions,
    unsupportedGaps: run.gaps,
    diagnostics: describeRun(run),
  };
}

function describeRun(run: RunState): ReasoningDiagnostics {
  return {
    latencyMs: Math.max(0, run.now() - run.startedAt),
    budget: run.recorder.budget,
    budgetUsed: run.recorder.used,
    retrievalStages: run.stages,
    retrievalRounds: run.retrievalRounds,
    answerProvider: run.request.providers.answerProvider?.name ?? null,
    answerProviderInvoked: run.answerProviderInvoked,
    expansionProviderInvoked: run.expansionProviderInvoked,
    citationsNormalized: run.citationsNormalized,
    uncheckedIdentity: run.uncheckedIdentity,
  };
}
