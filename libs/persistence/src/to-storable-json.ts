/** Escapes that JSON has and `jsonb` refuses: U+0000 and halves of surrogate pairs. An escaped backslash before them is text. */
const REFUSED = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** JSON for facts that must be recorded whatever strings they hold; what `jsonb` can't hold becomes U+FFFD. */
export function toStorableJson(value: unknown): string {
  return JSON.stringify(value ?? null).replace(REFUSED, '$1\ufffd');
}
