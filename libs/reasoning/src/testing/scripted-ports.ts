import type { EvidencePrompt } from '../evidence/evidence-prompt.js';
import type { ReasoningAnswerProvider, Retriever, RetrieverInput } from '../run/reasoning-ports.js';
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

/** The envelope of an answer that cites these. */
export function envelope(...citations: string[]): object {
  return { answer: 'REST is required.', citations, insufficient_evidence: false };
}

async function resolveScript(output: unknown): Promise<unknown> {
  if (output instanceof Error) throw output;
  return typeof output === 'function' ? (output as () => unknown)() : output;
}
