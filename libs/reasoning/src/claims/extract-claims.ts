import { tokenizeWords } from '../relevance/tokenize-words.js';
import type { Claim, ClaimSource, StatedValue } from './claim.js';
import { readAttributes } from './read-attributes.js';
import { readDates } from './read-dates.js';
import { readQuantities } from './read-quantities.js';
import { readStatuses } from './read-statuses.js';
import { splitClauses } from './split-clauses.js';

/** A chunk is far shorter; bounds the work on one that isn't. */
const LONGEST_TEXT = 20_000;
const MOST_CLAIMS = 100;
/** A subject of one word ("it", "support") may be anything. */
const FEWEST_SUBJECT_WORDS = 2;

/** What a passage states: values, dates and states, each with the words of its subject. Rules only, no model. */
export function extractClaims(source: ClaimSource): Claim[] {
  const claims: Claim[] = [];
  for (const { sentence, text } of splitClauses(source.text.slice(0, LONGEST_TEXT))) {
    for (const value of readValues(text)) {
      const subject = findSubject(text, value);
      if (subject === null) continue;
      const { kind, dimension, normalized, value: written } = value;
      const { chunkId, documentId } = source;
      claims.push({
        chunkId,
        documentId,
        kind,
        dimension,
        normalized,
        value: written,
        quotation: sentence,
        ...subject,
      });
      if (claims.length >= MOST_CLAIMS) return claims;
    }
  }
  return claims;
}

/** A date's numbers are no quantities. */
function readValues(clause: string): StatedValue[] {
  const dates = readDates(clause);
  const free = (value: StatedValue): boolean => !dates.some((date) => value.start < date.end && date.start < value.end);
  const quantities = readQuantities(clause).filter(free);
  const measured = [...dates, ...quantities];
  const attributes = measured.length === 0 ? readAttributes(clause) : [];
  return [...measured, ...readStatuses(clause), ...attributes];
}

/** The words before the value, else those around it. */
function findSubject(clause: string, { start, end }: StatedValue): Pick<Claim, 'subject' | 'words' | 'names'> | null {
  for (const subject of [clause.slice(0, start), `${clause.slice(0, start)} ${clause.slice(end)}`]) {
    const words = new Set(tokenizeWords(subject));
    if (words.size >= FEWEST_SUBJECT_WORDS)
      return { subject: subject.trim().slice(0, 200), words, names: findNames(subject) };
  }
  return null;
}

function findNames(subject: string): Set<string> {
  const names = new Set<string>();
  for (const [index, match] of [...subject.matchAll(/[\p{L}\p{N}]+/gu)].entries()) {
    const word = match[0];
    const capitalized = index > 0 && /^\p{Lu}/u.test(word);
    if (capitalized || /\p{N}/u.test(word)) for (const stem of tokenizeWords(word)) names.add(stem);
  }
  return names;
}
