import type { CandidateSentence } from './score-sentences.js';

export interface RankedSentence extends CandidateSentence {
  /** Meaning and words together; about 0 for unrelated text, 2 and more for a sentence that answers. */
  score: number;
}

export interface SelectedStatement {
  /** The sentence, and the same sentence in other documents. */
  sources: [RankedSentence, ...RankedSentence[]];
}

/** Together at most this many quotations, so that an answer stays an answer. */
export const MOST_QUOTATIONS = 3;
/** A sentence this close to the best one stands beside it. */
const WIDEST_MARGIN = 0.6;
/** Share of the shorter sentence's content words that makes two sentences speak of one subject. */
const SAME_SUBJECT = 0.5;
/** Share of the question, by weight, that a weaker sentence must be the only one to cover. */
const NEW_COVERAGE = 0.2;

/**
 * The sentences to quote. After the best one come, in this order: one of another document that speaks of a chosen
 * sentence's subject in other terms (another value, another choice: which of them holds isn't decided here), one about as
 * good as the best, and one that covers a part of the question that no chosen sentence covers ("REST or GraphQL?").
 */
export function selectQuotations(ranked: readonly RankedSentence[], floor: number): SelectedStatement[] {
  const answering = ranked.filter((sentence) => sentence.score >= floor).sort((a, b) => b.score - a.score);
  const [best, ...pool] = mergeRepetitions(answering);
  if (best === undefined) return [];

  const chosen = [best];
  while (chosen.length < MOST_QUOTATIONS) {
    const next =
      pool.find((statement) => chosen.some((other) => areRivals(other.sources[0], statement.sources[0]))) ??
      pool.find((statement) => statement.sources[0].score >= best.sources[0].score - WIDEST_MARGIN) ??
      pool.find((statement) => coversMore(statement.sources[0], chosen));
    if (next === undefined) break;
    pool.splice(pool.indexOf(next), 1);
    chosen.push(next);
  }
  return limitSources(chosen);
}

/** The same sentence in another document is one more source; within one document (overlapping chunks) it is nothing new. */
function mergeRepetitions(answering: readonly RankedSentence[]): SelectedStatement[] {
  const byText = new Map<string, SelectedStatement>();
  for (const sentence of answering) {
    const key = sentence.sentence.text.toLowerCase();
    const known = byText.get(key);
    if (known === undefined) byText.set(key, { sources: [sentence] });
    else if (known.sources.every(({ chunk }) => chunk.documentId !== sentence.chunk.documentId)) {
      known.sources.push(sentence);
    }
  }
  return [...byText.values()];
}

function areRivals(one: RankedSentence, other: RankedSentence): boolean {
  if (other.chunk.documentId === one.chunk.documentId) return false;
  const ours = new Set(one.words);
  const theirs = new Set(other.words);
  const shared = [...ours].filter((word) => theirs.has(word)).length;
  const differ = shared < ours.size && shared < theirs.size;
  return differ && shared >= 2 && shared / Math.min(ours.size, theirs.size) >= SAME_SUBJECT;
}

function coversMore(sentence: RankedSentence, chosen: readonly SelectedStatement[]): boolean {
  let added = 0;
  for (const [word, weight] of sentence.coveredWords) {
    if (!chosen.some(({ sources: [other] }) => other.coveredWords.has(word))) added += weight;
  }
  return added >= NEW_COVERAGE;
}

/** Every statement keeps its first source; further ones fill what room is left. */
function limitSources(chosen: readonly SelectedStatement[]): SelectedStatement[] {
  let room = MOST_QUOTATIONS - chosen.length;
  return chosen.map(({ sources: [first, ...repetitions] }) => {
    const kept = repetitions.slice(0, room);
    room -= kept.length;
    return { sources: [first, ...kept] };
  });
}
