import { cutText } from '../extracting/cut-text.js';
import { trimRange, type TextRange } from '../extracting/trim-range.js';

// A fixed locale, so that a machine's settings don't change where chunks end.
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const WINDOW_LENGTH = 4_096;
const WRAPPED_SENTENCE_MAX_LENGTH = 400;

/** Sentences, trimmed. A line end parts them too, unless the line is plainly wrapped inside a sentence. */
export function findSentences(text: string, range: TextRange): TextRange[] {
  const found: TextRange[] = [];
  for (const segment of segmentRange(text, range)) {
    const sentence = trimRange(text, segment.start, segment.end);
    if (!sentence) continue;
    const previous = found.at(-1);
    if (previous && isWrapped(text, previous, sentence)) previous.end = sentence.end;
    else found.push(sentence);
  }
  return found;
}

/** Window by window: the segmenter's time grows with the square of its input. */
function* segmentRange(text: string, range: TextRange): Generator<TextRange> {
  let sentenceStart = range.start;
  for (let start = range.start; start < range.end;) {
    const window = cutText(text.slice(start, Math.min(start + WINDOW_LENGTH, range.end)), WINDOW_LENGTH - 1);
    const isLast = start + window.length >= range.end;
    let done = 0;
    for (const { segment, index } of sentences.segment(window)) {
      const end = index + segment.length;
      if (isLast || end < window.length) {
        yield { start: sentenceStart, end: start + end };
        sentenceStart = start + end;
        done = end;
      } else if (index === 0) {
        // One sentence fills the window and goes on behind it.
        done = end;
      }
      // Else the last sentence may go on too: the next window begins with it.
    }
    start += done;
  }
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
