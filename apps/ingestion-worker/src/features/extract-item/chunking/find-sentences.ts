import { trimRange, type TextRange } from '../extracting/trim-range.js';

// A fixed locale, so that a machine's settings don't change where chunks end.
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const WRAPPED_SENTENCE_MAX_LENGTH = 400;

/** Sentences, trimmed. A line end parts them too, unless the line is plainly wrapped inside a sentence. */
export function findSentences(text: string, range: TextRange): TextRange[] {
  const found: TextRange[] = [];
  for (const { segment, index } of sentences.segment(text.slice(range.start, range.end))) {
    const start = range.start + index;
    const sentence = trimRange(text, start, start + segment.length);
    if (!sentence) continue;
    const previous = found.at(-1);
    if (previous && isWrapped(text, previous, sentence)) previous.end = sentence.end;
    else found.push(sentence);
  }
  return found;
}

/** Lines, trimmed, without the blank ones. */
export function findLines(text: string, range: TextRange): TextRange[] {
  const found: TextRange[] = [];
  for (let start = range.start; start < range.end;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? range.end : Math.min(newline, range.end);
    const line = trimRange(text, start, end);
    if (line) found.push(line);
    start = end + 1;
  }
  return found;
}

function isWrapped(text: string, previous: TextRange, next: TextRange): boolean {
  if (next.end - previous.start > WRAPPED_SENTENCE_MAX_LENGTH) return false;
  const last = text.slice(previous.end - 1, previous.end);
  return !/[.!?…:;。！？"”»)\]|]/u.test(last) && /^\p{Ll}/u.test(text.slice(next.start, next.start + 2));
}
