import type { AdmittedChunk } from '@candor/reasoning';
import { splitSentences, type Sentence } from './split-sentences.js';
import { tokenizeWords } from '@candor/reasoning/relevance';

export interface CandidateSentence {
  chunk: AdmittedChunk;
  /** Place of the chunk in the packet, 0-based. */
  chunkRank: number;
  sentence: Sentence;
  /** Stems of the sentence's content words. */
  words: string[];
  /**
   * Share of the question's content words, weighted by rarity, that the sentence covers, 0–1. A word that stands only
   * in the sentence before, in the title or elsewhere in the chunk counts in part: it is what "it" may refer to.
   */
  wordScore: number;
  /** The question's words in the sentence itself, with their weights. */
  coveredWords: Map<string, number>;
}

const CREDIT_FOR_PREVIOUS_SENTENCE = 0.4;
const CREDIT_FOR_CHUNK_OR_TITLE = 0.3;

/** Every whole sentence of the chunks, in order, with its overlap with the question. Headings and cut-off ends are no sentences. */
export function scoreSentences(question: string, chunks: readonly AdmittedChunk[]): CandidateSentence[] {
  const candidates = chunks.flatMap((chunk, chunkRank) => collectSentences(chunk, chunkRank));
  const weights = weighQuestionWords(question, candidates);
  const wordsAround = chunks.map((chunk) => new Set(tokenizeWords(`${chunk.documentTitle}\n${chunk.content}`)));

  let previous: CandidateSentence | undefined;
  for (const candidate of candidates) {
    const here = new Set(candidate.words);
    const before = new Set(previous?.chunkRank === candidate.chunkRank ? previous.words : []);
    const around = wordsAround[candidate.chunkRank];
    for (const [word, weight] of weights) {
      if (here.has(word)) {
        candidate.wordScore += weight;
        candidate.coveredWords.set(word, weight);
      } else if (before.has(word)) candidate.wordScore += CREDIT_FOR_PREVIOUS_SENTENCE * weight;
      else if (around?.has(word) === true) candidate.wordScore += CREDIT_FOR_CHUNK_OR_TITLE * weight;
    }
    previous = candidate;
  }
  return candidates.filter((candidate) => !candidate.sentence.isHeading);
}

function collectSentences(chunk: AdmittedChunk, chunkRank: number): CandidateSentence[] {
  const sentences = splitSentences(chunk.content);
  // The last sentence of a cut chunk isn't whole: what follows may turn its meaning round.
  if (chunk.truncated) sentences.pop();
  return sentences.map((sentence) => ({
    chunk,
    chunkRank,
    sentence,
    words: tokenizeWords(sentence.text),
    wordScore: 0,
    coveredWords: new Map(),
  }));
}

/**
 * Inverse frequency over the sentences at hand, made to add up to 1 over the question. Unlike BM25's it stays above zero
 * for a word that most sentences hold: in a small packet that is the subject, not a stop word.
 */
function weighQuestionWords(question: string, candidates: readonly CandidateSentence[]): Map<string, number> {
  const frequency = new Map<string, number>();
  for (const { words } of candidates) {
    for (const word of new Set(words)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const weights = new Map<string, number>();
  let total = 0;
  for (const word of new Set(tokenizeWords(question))) {
    const occurrences = frequency.get(word) ?? 0;
    const weight = Math.log(1 + (candidates.length + 0.5) / (occurrences + 0.5));
    weights.set(word, weight);
    total += weight;
  }
  for (const [word, weight] of weights) weights.set(word, weight / total);
  return weights;
}

/**
 * The candidates worth an embedding: most by their words, the rest from the best-ranked chunks, where an answer in other
 * words is most likely to stand.
 */
export function shortlistSentences(candidates: readonly CandidateSentence[], size: number): CandidateSentence[] {
  const byWords = candidates
    .filter((candidate) => candidate.wordScore > 0)
    .sort((a, b) => b.wordScore - a.wordScore || a.chunkRank - b.chunkRank);
  const chosen = new Set(byWords.slice(0, Math.ceil((size * 3) / 4)));
  for (const candidate of candidates) {
    if (chosen.size >= size) break;
    chosen.add(candidate);
  }
  return [...chosen];
}
