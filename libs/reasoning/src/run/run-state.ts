import { loadTokenCounter } from '../count-tokens.js';
import type { CalibrationIdentity } from '../calibration/calibration-identity.js';
import type { Contradiction } from '../contradictions/contradiction.js';
import type { BundleLimits } from '../evidence/build-evidence-bundle.js';
import { RunRecorder } from '../planning/run-recorder.js';
import type { InferenceProposal } from '../proposals/inference-proposal.js';
import type { JudgedHit, StageTime } from '../trust/trusted-result.js';
import type { LineageField } from './check-lineage.js';
import { parseRequest, type ParsedRequest } from './parse-request.js';
import type { ProviderFailure } from './provider-failure.js';
import type { ReasoningRequest, ReasoningRuntime } from './reasoning-request.js';
import type { UnsupportedGap } from './unsupported-gap.js';

const RETRIEVER_DEADLINE_MS = 10_000;
const ANSWER_DEADLINE_MS = 60_000;

/** One run: its request, its clock and what it has gathered for the response. */
export interface RunState {
  request: ParsedRequest;
  recorder: RunRecorder;
  limits: BundleLimits;
  /** Milliseconds since the epoch. */
  now: () => number;
  startedAt: number;
  retrieverDeadlineMs: number;
  answerDeadlineMs: number;
  /** Milliseconds that a call may take which has so many of its own: no call outlasts the run. */
  within: (ownMs: number) => number;
  /** Confident in nothing but their age: what was replaced, has ended or hasn't begun. Never evidence. */
  outdated: JudgedHit[];
  calibration: CalibrationIdentity | null;
  proposals: InferenceProposal[];
  failures: ProviderFailure[];
  contradictions: Contradiction[];
  gaps: UnsupportedGap[];
  stages: StageTime[];
  retrievalRounds: number;
  /** Of these the ones that expansion made. */
  expansionRounds: number;
  answerProviderInvoked: boolean;
  expansionProviderInvoked: boolean;
  citationsNormalized: boolean;
  uncheckedIdentity: LineageField[];
}

export async function startRun(request: ReasoningRequest, runtime: ReasoningRuntime): Promise<RunState> {
  const now = runtime.now ?? Date.now;
  const startedAt = now();
  const parsed = parseRequest(request);
  const countTokens = runtime.countTokens ?? (await loadTokenCounter());
  return {
    request: parsed,
    recorder: new RunRecorder(parsed.budget, now),
    limits: { maxEvidenceTokens: parsed.budget.maxEvidenceTokens, countTokens },
    now,
    startedAt,
    retrieverDeadlineMs: runtime.retrieverDeadlineMs ?? RETRIEVER_DEADLINE_MS,
    answerDeadlineMs: runtime.answerDeadlineMs ?? ANSWER_DEADLINE_MS,
    within: (ownMs) => Math.min(ownMs, startedAt + (runtime.deadlineMs ?? Infinity) - now()),
    outdated: [],
    calibration: null,
    proposals: [],
    failures: [],
    contradictions: [],
    gaps: [],
    stages: [],
    retrievalRounds: 0,
    expansionRounds: 0,
    answerProviderInvoked: false,
    expansionProviderInvoked: false,
    citationsNormalized: false,
    uncheckedIdentity: [],
  };
}

/** Before the same run starts once more: what it found goes, what it cost stays. */
export function forgetFindings(run: RunState): void {
  Object.assign(run, { failures: [], proposals: [], contradictions: [], gaps: [] } satisfies Partial<RunState>);
}
