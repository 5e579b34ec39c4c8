import type { AdmittedChunk } from '@candor/reasoning';
import { tokenizeWords } from '@candor/reasoning/relevance';

/** At most this many words are named, so that a limitation stays readable. */
const MOST_NAMED_WORDS = 6;

/** Says what the evidence doesn't answer, naming the question's words that stand nowhere in it. */
export function describeAbstention(question: string, chunks: readonly AdmittedChunk[]): string {
  const missing = findMissingWords(question, chunks);
  const passages = chunks.length === 1 ? 'the one retrieved passage' : `the ${chunks.length} retrieved passages`;
  const named = missing.length === 0 ? '' : ` Not mentioned there: ${missing.map((word) => `"${word}"`).join(', ')}.`;
  return `No sentence in ${passages} answers the question.${named}`;
}

/** Names and numbers that the question asks about and the evidence never mentions; an answer beside them may be about another. */
export function describeUnmentionedNames(question: string, chunks: readonly AdmittedChunk[]): string[] {
  const names = findMissingWords(question, chunks).filter(
    (word) => /\p{N}/u.test(word) || (/^\p{Lu}/u.test(word) && !question.trimStart().startsWith(word)),
  );
  return names.length === 0
    ? []
    : [`The retrieved evidence does not mention ${names.map((name) => `"${name}"`).join(', ')}.`];
}

function findMissingWords(question: string, chunks: readonly AdmittedChunk[]): string[] {
  const present = new Set(chunks.flatMap((chunk) => tokenizeWords(`${chunk.documentTitle}\n${chunk.content}`)));
  const words = question.match(/[\p{L}\p{M}\p{N}]+(?:[-'’.][\p{L}\p{N}]+)*/gu) ?? [];
  const missing = words.filter((word) => {
    const stems = tokenizeWords(word);
    return stems.length > 0 && stems.every((stem) => !present.has(stem));
  });
  return [...new Set(missing)].slice(0, MOST_NAMED_WORDS);
}
