import type { EvidenceItem } from '../evidence/evidence-bundle.js';
import type { EvidencePrompt } from '../evidence/evidence-prompt.js';
import type { ExpansionInput, ExpansionQueries, RetrievalProposal } from '../expansion/expansion.js';
import type { GraphProjection } from '../graph/graph-projection.js';
import type { InferenceProposal, ProposalProtocolReport } from '../proposals/inference-proposal.js';
import type { GenerationIdentity, GenerationSelection } from '../trust/generation-identity.js';
import type { TrustedResult } from '../trust/trusted-result.js';

/** Beside every call. What a provider gives back after the signal is ignored. */
export interface PortContext {
  /** Aborts at the deadline, or when the caller gives up. */
  signal: AbortSignal;
  /** Milliseconds that the provider has, from the call on. */
  deadlineMs: number;
}

export interface RetrieverInput {
  query: string;
  tenantId: string;
  generation: GenerationSelection;
  /** Pass it on to `trustedSearch`. */
  knownAsOf: string | null;
  /** Most hits wanted. */
  limit: number;
}

/** Any port may reject: an AppError or any other error becomes a failure record, never an exception of `reason`. */
export interface Retriever {
  retrieve(input: RetrieverInput, context: PortContext): Promise<TrustedResult>;
}

export interface GraphInput {
  tenantId: string;
  /** Of the retrieved evidence; the graph has to be of the same. */
  identity: GenerationIdentity;
  knownAsOf: string | null;
  /** Start here: every item becomes an evidence node. */
  evidence: readonly EvidenceItem[];
  /** Most nodes that planning will visit. */
  maxNodes: number;
}
export interface GraphProvider {
  project(input: GraphInput, context: PortContext): Promise<GraphProjection>;
}

export interface ProposalInput {
  query: string;
  tenantId: string;
  graph: GraphProjection;
  evidence: readonly EvidenceItem[];
}
export interface ProposalProvider {
  /** Calls of a model that one `propose` makes; 0 for rules. */
  readonly modelCalls: number;
  propose(input: ProposalInput, context: PortContext): Promise<readonly InferenceProposal[] | ProposalProtocolReport>;
}

/** Sees the evidence prompt pair and nothing else; gives `AnswerEnvelope` JSON as text or as a value. */
export interface ReasoningAnswerProvider {
  /** For diagnostics, e.g. `extractive`. */
  readonly name: string;
  answer(prompt: EvidencePrompt, context: PortContext): Promise<string | object>;
}

export interface ExpansionProvider {
  readonly modelCalls: number;
  expand(input: ExpansionInput, context: PortContext): Promise<ExpansionQueries>;
}

export interface ExpansionRetrievalInput extends Omit<RetrieverInput, 'query' | 'limit'> {
  /** Search within this identity: another generation, trust or calibration in the results is refused. */
  identity: GenerationIdentity;
  proposals: readonly RetrievalProposal[];
}
export interface ExpansionRetriever {
  /** One result a proposal, in order. */
  retrieve(input: ExpansionRetrievalInput, context: PortContext): Promise<readonly TrustedResult[]>;
}

export interface ReasoningProviderPorts {
  retriever: Retriever;
  graphProvider?: GraphProvider | undefined;
  proposalProvider?: ProposalProvider | undefined;
  answerProvider?: ReasoningAnswerProvider | undefined;
  expansionProvider?: ExpansionProvider | undefined;
  expansionRetriever?: ExpansionRetriever | undefined;
}
