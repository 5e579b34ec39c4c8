import {
  NO_EVIDENCE_ANSWER,
  NO_LINKED_STATEMENT_ANSWER,
  type ReasonData,
  type SynthesizedAnswer,
} from '@candor/contracts';
import { stripCitationTokens, type KeptStatement } from './validate-citations.js';

/** A finished answer without its latency, which only the caller of the engine knows. */
export type ComposedAnswer = Omit<SynthesizedAnswer, 'meta'> & { meta: Omit<ReasonData['meta'], 'latencyMs'> };

/** Answer of a run that had nothing to show the provider; the sentence is also its only gap. */
export function composeNoEvidenceAnswer(): ComposedAnswer {
  return {
    answer: NO_EVIDENCE_ANSWER,
    citations: [],
    gaps: [NO_EVIDENCE_ANSWER],
    meta: { chunksGathered: 0, citationsDropped: 0 },
  };
}

/**
 * Prose with one `[[chunkId]]` token per cited chunk after each statement; chunks are listed once, in order of first
 * use. Without a statement that could be linked it says so, and keeps the provider's limitations.
 */
export function composeAnswer(input: {
  kept: readonly KeptStatement[];
  limitations: readonly string[];
  chunksGathered: number;
  citationsDropped: number;
}): ComposedAnswer {
  const citations = new Map<string, ReasonData['citations'][number]>();
  const paragraphs = input.kept.map(({ text, references }) => {
    for (const { chunkId, documentId, documentTitle } of references) {
      // Setting a known key again keeps its place.
      citations.set(chunkId, { chunkId, documentId, documentTitle });
    }
    const cited = [...new Set(references.map((reference) => reference.chunkId))];
    return `${text} ${cited.map((chunkId) => `[[${chunkId}]]`).join('')}`;
  });
  return {
    answer: paragraphs.length === 0 ? NO_LINKED_STATEMENT_ANSWER : paragraphs.join('\n\n'),
    citations: [...citations.values()],
    gaps: input.limitations.map(stripCitationTokens).filter((limitation) => limitation !== ''),
    meta: { chunksGathered: input.chunksGathered, citationsDropped: input.citationsDropped },
  };
}
