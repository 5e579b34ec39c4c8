import { segmentInWindows } from '../segment-in-windows.js';

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Longest sentence that is read; longer ones are tables and code. */
const LONGEST_SENTENCE = 500;

export interface Clause {
  /** The whole sentence, as in the text. */
  sentence: string;
  text: string;
}

/** Sentences of a passage, and their clauses: a value belongs to the words of its own clause. */
export function splitClauses(text: string): Clause[] {
  return text
    .split(/\n+/)
    .flatMap((line) => Array.from(segmentInWindows(sentences, line), ({ segment }) => segment))
    .map(stripHeader)
    .filter((sentence) => sentence !== '' && sentence.length <= LONGEST_SENTENCE && !sentence.endsWith('?'))
    .flatMap((sentence) => splitSentence(sentence).map((clause) => ({ sentence, text: clause })));
}

/** Marks of lists and headings, and `Name (2026-07-21 10:05):` before a message, say nothing themselves. */
function stripHeader(sentence: string): string {
  return sentence
    .trim()
    .replace(/^(?:[>#|+*-]+\s+)+/, '')
    .replace(/^[\p{L} .'’-]{1,60}\(\d{4}-\d{2}-\d{2}[^)]{0,20}\):\s*/u, '')
    .replace(/^(?:From|To|Cc|Date|Sent|Subject):\s.*$/, '')
    .trim();
}

/** A comma inside a number or a date doesn't end a clause. */
function splitSentence(sentence: string): string[] {
  return sentence
    .split(/;|,\s(?!\d{4}\b)|\s(?:but|so that|because|whereas|while|although)\s/)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
}
