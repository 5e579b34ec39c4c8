import { AppError, type AuditFacts, type LocatedStatement } from '@candor/contracts';
import type { AnswerProvider } from './answer-provider.port.js';
import { buildEvidencePacket, type EvidencePacket, type EvidencePassage } from './build-evidence-packet.js';
import { composeAnswer, composeNoEvidenceAnswer, type ComposedAnswer } from './compose-answer.js';
import { computeDigest } from './compute-digest.js';
import type { TokenCounter } from './count-tokens.js';
import { locateQuotations } from './locate-quotations.js';
import { passesRelevanceGate, type SkipReason } from './relevance-gate.js';
import { parseSynthesisOutput, type SynthesisOutput } from './synthesis-output.js';
import { validateCitations } from './validate-citations.js';

export interface AnswerQuestionInput {
  query: string;
  /** Most chunks in the packet, 1–50. */
  limit: number;
  /** Token budget of the packet. */
  maxTokens: number;
  /** A document or a collection was named. */
  scoped: boolean;
  /** Also the statements by themselves, each with the places of its quotations. */
  includeQuotations?: boolean | undefined;
  /** Retrieval's passages in its order, and whether the best one clears the guard. */
  evidence: { passages: readonly EvidencePassage[]; relevant: boolean };
  answerProvider: AnswerProvider;
  countTokens: TokenCounter;
  /** Milliseconds; only differences are used. */
  now: () => number;
  signal?: AbortSignal;
  /** Gets facts as they become known, so that a failed run leaves its trace too. */
  recordFacts?: (facts: AuditFacts) => void;
}

export interface AnsweredQuestion {
  data: ComposedAnswer;
  /** Ids, counts, digests and timings for the audit event; never content. */
  facts: AuditFacts;
}

/**
 * Seed 000's reasoning over evidence that was retrieved already: gate, packet, one synthesis call without retries,
 * citation check, answer. A provider's failure is the caller's failure (the AppErrors of {@link AnswerProvider});
 * it is never turned into a claim that evidence is missing.
 */
export async function answerQuestion(input: AnswerQuestionInput): Promise<AnsweredQuestion> {
  const facts: AuditFacts = {};
  const record = (more: AuditFacts): void => {
    Object.assign(facts, more);
    input.recordFacts?.(more);
  };
  const withStatements = (data: ComposedAnswer, statements: () => LocatedStatement[]): ComposedAnswer =>
    input.includeQuotations === true ? { ...data, statements: statements() } : data;
  const skip = (skipped: SkipReason): AnsweredQuestion => {
    record({ skipped, chunksGathered: 0, citationsDropped: 0 });
    return { data: withStatements(composeNoEvidenceAnswer(), () => []), facts };
  };

  const { passages, relevant } = input.evidence;
  record({
    queryDigest: computeDigest(input.query),
    scoped: input.scoped,
    limit: input.limit,
    maxTokens: input.maxTokens,
    passagesRetrieved: passages.length,
  });
  if (!passesRelevanceGate({ passages, relevant, scoped: input.scoped })) {
    return skip(passages.length === 0 ? 'no_evidence' : 'below_relevance_guard');
  }
  const packet = buildEvidencePacket({
    passages,
    limit: input.limit,
    maxTokens: input.maxTokens,
    countTokens: input.countTokens,
  });
  record(describePacket(packet));
  if (packet.admitted.length === 0) return skip('empty_packet');

  const output = await synthesizeOnce(input, packet, record);
  const { kept, citationsDropped } = validateCitations(output.statements, packet.admitted);
  const data = composeAnswer({
    kept,
    limitations: output.limitations,
    chunksGathered: packet.admitted.length,
    citationsDropped,
  });
  record({
    statementsReturned: output.statements.length,
    statementsKept: kept.length,
    citationsDropped,
    citedChunkIds: data.citations.map((citation) => citation.chunkId),
    citedDocumentIds: [...new Set(data.citations.map((citation) => citation.documentId))],
    answerDigest: computeDigest(data.answer),
  });
  return { data: withStatements(data, () => locateQuotations(kept, packet.admitted)), facts };
}

async function synthesizeOnce(
  input: AnswerQuestionInput,
  packet: EvidencePacket,
  record: (facts: AuditFacts) => void,
): Promise<SynthesisOutput> {
  const { answerProvider, query, signal } = input;
  const startedAt = input.now();
  try {
    const output = await answerProvider.synthesize({ query, packet, ...(signal === undefined ? {} : { signal }) });
    return parseSynthesisOutput(output);
  } catch (error) {
    throw AppError.from(error);
  } finally {
    // Only now: which one answers may be decided when it is asked.
    record({ answerProvider: answerProvider.name, synthesisMs: Math.max(0, Math.round(input.now() - startedAt)) });
  }
}

function describePacket(packet: EvidencePacket): AuditFacts {
  return {
    chunksGathered: packet.admitted.length,
    admittedChunkIds: packet.admitted.map((chunk) => chunk.chunkId),
    lastChunkTruncated: packet.admitted.at(-1)?.truncated ?? false,
    packetTokens: packet.tokens,
    packetDigest: computeDigest(packet.text),
    excludedByLimit: packet.excluded.byLimit,
    excludedByTokens: packet.excluded.byTokens,
  };
}
