/** What is read of a model's answer. */
export interface OutputBounds {
  /** Of the decoded body. */
  bytes: number;
  /** Of the JSON, as `findJsonExcess` counts them. */
  values: number;
}

/** Escapes of six bytes a character, and the longest tokens, included. */
const BYTES_OF_A_TOKEN = 64;
const BYTES_AROUND = 256 * 1024;
/** `[],` can be one token. */
const VALUES_OF_A_TOKEN = 2;
const VALUES_AROUND = 1_000;

/** More than any server needs to say that many tokens, and what it adds of its own. */
export function boundOutput(maxOutputTokens: number): OutputBounds {
  return {
    bytes: maxOutputTokens * BYTES_OF_A_TOKEN + BYTES_AROUND,
    values: maxOutputTokens * VALUES_OF_A_TOKEN + VALUES_AROUND,
  };
}
