import type { AnswerableBundle } from '../evidence/evidence-bundle.js';
import type { EvidencePrompt } from '../evidence/evidence-prompt.js';
import type { GraphProjection } from '../graph/graph-projection.js';
import { projectGraph, type GraphSource } from '../graph/project-graph.js';
import type { InferenceProposal } from '../proposals/inference-proposal.js';
import type {
  ExpansionProvider,
  ExpansionRetrievalInput,
  ExpansionRetriever,
  GraphInput,
  GraphProvider,
  ProposalInput,
  ProposalProvider,
  ReasoningAnswerProvider,
  Retriever,
  RetrieverInput,
} from '../run/reasoning-ports.js';
import type { ExpansionInput } from '../expansion/expansion.js';
import { TRUSTED, degraded, type TrustFailureCode } from '../trust/trust-state.js';
import type { JudgedHit, TrustedResult } from '../trust/trusted-result.js';

export const IDENTITY = {
  tenantId: 'tenant-a',
  generationId: 'generation-1',
  pipelineFingerprint: 'pipeline-1',
  corpusFingerprint: 'corpus-1',
};
export const CERTIFIED = {
  status: 'certified' as const,
  calibrationId: 'calibration-1',
  querySetDigest: 'queries-1',
  threshold: 0.6,
};

export function makeHit(chunkId: string, over: Partial<JudgedHit> = {}): JudgedHit {
  return {
    chunkId,
    documentId: `document-of-${chunkId}`,
    documentTitle: `Title of ${chunkId}`,
    text: `Text of ${chunkId}.`,
    score: 0.8,
    verdict: 'ok',
    sourceDate: '2026-01-01T00:00:00.000Z',
    validFrom: null,
    validUntil: null,
    version: 1,
    contentHash: null,
    ...over,
  };
}

export function makeTrusted(hits: JudgedHit[], over: Partial<TrustedResult> = {}): TrustedResult {
  return {
    query: 'Which interface is required?',
    knownAsOf: null,
    identity: IDENTITY,
    trustState: TRUSTED,
    calibration: CERTIFIED,
    hits,
    abstained: false,
    stageTimes: [{ stage: 'search', ms: 3 }],
    ...over,
  } as TrustedResult;
}

/** What a bundle makes of hits that are `ok`, without its rules; at least one. */
export function makeItems(...hits: JudgedHit[]): AnswerableBundle['items'] {
  const items = hits.map((hit, index) => ({ ...hit, verdict: 'ok', ordinal: index + 1, retrievedBy: 'initial' }));
  return items as AnswerableBundle['items'];
}

export function makeBundle(...hits: JudgedHit[]): AnswerableBundle {
  return {
    identity: IDENTITY,
    trustState: TRUSTED,
    decision: 'answerable',
    reasonCode: null,
    items: makeItems(...hits),
    excluded: [],
    missingSlots: [],
    tokens: 10,
  };
}

export function makeDegraded(failureCode: TrustFailureCode, hits: JudgedHit[]): TrustedResult {
  return makeTrusted(hits, {
    trustState: degraded(failureCode),
    calibration: { status: 'missing', calibrationId: null, querySetDigest: null, threshold: null },
  });
}

/** Gives what it is told to, and keeps what it was asked. */
export function scriptRetriever(output: unknown): Retriever & { asked: RetrieverInput[] } {
  const asked: RetrieverInput[] = [];
  return {
    asked,
    retrieve: async (input) => {
      asked.push(input);
      return (await resolveScript(output)) as TrustedResult;
    },
  };
}

export function scriptAnswers(output: unknown): ReasoningAnswerProvider & { prompts: EvidencePrompt[] } {
  const prompts: EvidencePrompt[] = [];
  return {
    name: 'scripted',
    prompts,
    answer: async (prompt) => {
      prompts.push(prompt);
      return (await resolveScript(output)) as string | object;
    },
  };
}

/** The graph of the passages with these ids, without any relation. */
export function makeGraph(chunkIds: readonly string[], over: Partial<GraphSource> = {}): GraphProjection {
  return projectGraph({
    identity: IDENTITY,
    documents: [],
    relations: [],
    evidence: chunkIds.map((chunkId) => ({
      chunkId,
      documentId: `document-of-${chunkId}`,
      documentTitle: `Title of ${chunkId}`,
    })),
    ...over,
  });
}

/** Two passages of `makeHit` in conflict. */
export function makeProposal(left: string, right: string, over: Partial<InferenceProposal> = {}): InferenceProposal {
  const claim = (chunkId: string) => ({
    evidenceId: chunkId,
    documentId: `document-of-${chunkId}`,
    quotation: `Text of ${chunkId}.`,
    value: chunkId,
  });
  return {
    proposalId: 'proposal-1',
    kind: 'conflicting_value',
    generationId: IDENTITY.generationId,
    subject: 'the interface',
    claims: [claim(left), claim(right)],
    sourceEvidenceIds: [left, right],
    confidence: 0.7,
    explanation: 'They differ.',
    ...over,
  };
}

export function scriptGraph(output: unknown): GraphProvider & { asked: GraphInput[] } {
  const asked: GraphInput[] = [];
  return {
    asked,
    project: async (input) => {
      asked.push(input);
      return (await resolveScript(output)) as GraphProjection;
    },
  };
}

export function scriptProposals(output: unknown, modelCalls = 0): ProposalProvider & { asked: ProposalInput[] } {
  const asked: ProposalInput[] = [];
  return {
    asked,
    modelCalls,
    propose: async (input) => {
      asked.push(input);
      return (await resolveScript(output)) as InferenceProposal[];
    },
  };
}

export function scriptQueries(output: unknown, modelCalls = 0): ExpansionProvider & { asked: ExpansionInput[] } {
  const asked: ExpansionInput[] = [];
  return {
    asked,
    modelCalls,
    expand: async (input) => {
      asked.push(input);
      return (await resolveScript(output)) as { queries: string[] };
    },
  };
}

/** One output a round, in order. */
export function scriptExpansion(...outputs: unknown[]): ExpansionRetriever & { asked: ExpansionRetrievalInput[] } {
  const asked: ExpansionRetrievalInput[] = [];
  return {
    asked,
    retrieve: async (input) => {
      asked.push(input);
      return (await resolveScript(outputs[asked.length - 1])) as TrustedResult[];
    },
  };
}

/** Never answers; ends only by its deadline. */
export function neverAnswer(): Promise<never> {
  return new Promise(() => undefined);
}

/** The envelope of an answer that cites these. */
export function envelope(...citations: string[]): object {
  return { answer: 'REST is required.', citations, insufficient_evidence: false };
}

async function resolveScript(output: unknown): Promise<unknown> {
  if (output instanceof Error) throw output;
  return typeof output === 'function' ? (output as () => unknown)() : output;
}
