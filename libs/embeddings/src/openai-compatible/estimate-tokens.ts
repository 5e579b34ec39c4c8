import { cutText } from '../cut-text.js';

const BYTES_PER_TOKEN = 4;
/** Below the average, so that text of rare words or scripts still fits. */
const BYTES_PER_TOKEN_OF_DENSE_TEXT = 3;

/** Tokens of a text whose tokenizer is not at hand: about right for English, on the high side for other scripts. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Cuts so that the text most likely holds at most `maxTokens`. */
export function cutToTokens(text: string, maxTokens: number): string {
  const maxBytes = maxTokens * BYTES_PER_TOKEN_OF_DENSE_TEXT;
  const head = cutText(text, maxBytes);
  if (Buffer.byteLength(head) <= maxBytes) return head;
  let bytes = 0;
  let length = 0;
  for (const character of head) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    length += character.length;
  }
  return head.slice(0, length);
}
