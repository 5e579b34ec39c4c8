/**
 * Words of a query that are looked up. The server refuses a query of more clauses than its memory and threads allow, and
 * allows 1,024 at least; a word is one in each of the three text fields, and the rest is left to the filter.
 */
const MAX_WORDS = 300;

/** What the analyzer may make one word of: it takes scripts without spaces apart into their characters. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Emoji_Presentation}]|[\p{L}\p{N}\p{M}_]+/gu;

/** The query as it stands, up to as many words as the server is sure to take. */
export function cutQuery(text: string): string {
  let words = 0;
  for (const match of text.matchAll(WORD)) {
    words += 1;
    if (words > MAX_WORDS) return text.slice(0, match.index);
  }
  return text;
}
