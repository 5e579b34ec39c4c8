import type { TokenCounter } from '../count-tokens.js';
import type { EvidencePolicyInput } from '../evidence/evidence-policy.js';
import type { ReasoningBudgetInput } from '../planning/reasoning-budget.js';
import type { GenerationSelection } from '../trust/generation-identity.js';
import type { GraphProvider, ReasoningProviderPorts } from './reasoning-ports.js';
import type { ReasoningPolicyInput } from './reasoning-policy.js';

interface RequestFields {
  /** Natural language; blank gives `needs_clarification`. */
  query: string;
  /** Nothing of another tenant ever enters the result. */
  tenantId: string;
  generation?: GenerationSelection;
  /** ISO 8601: what was known then, and nothing learned later. */
  knownAsOf?: string | null;
  budget?: ReasoningBudgetInput;
  evidencePolicy?: EvidencePolicyInput;
  /** The caller gives up: `reason` rejects with the signal's reason. */
  signal?: AbortSignal;
}

type PlainPolicy = Omit<ReasoningPolicyInput, 'name' | 'allowProposalGuidedExpansion'> & {
  name?: 'retrieval_only' | 'evidence_assembly';
  allowProposalGuidedExpansion?: false;
};
/** A policy that plans over proposals doesn't compile without a graph provider; with one, any policy does. */
export type ReasoningRequest = RequestFields &
  (
    | { policy?: PlainPolicy; providers: ReasoningProviderPorts }
    | { policy?: ReasoningPolicyInput; providers: ReasoningProviderPorts & { graphProvider: GraphProvider } }
  );

/** What a run takes from its surroundings; each has a default. */
export interface ReasoningRuntime {
  /** Milliseconds; only differences are used. */
  now?: () => number;
  /** Default: `loadTokenCounter()`. */
  countTokens?: TokenCounter;
  /** Milliseconds; the other ports have what is left of `budget.maxWallTimeMs`. */
  retrieverDeadlineMs?: number;
  answerDeadlineMs?: number;
  /** Milliseconds for the whole run, whatever the ports may take: what is cut short by it is a `timeout` in the response. */
  deadlineMs?: number;
}
