import type { FieldIssue } from '../issues/describe-issues.js';
import { DEEPEST } from './find-unsafe-value.js';

/** Values allowed in a body: 20 MiB of brackets would become gigabytes of arrays. A thousand for each of the most documents of an ingest. */
const MOST_VALUES = 500_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * What makes a body cost far more than its bytes once it is parsed, found in the bytes themselves: nesting beyond 100 levels,
 * or too many values (each comma and each list or object is counted). UTF-8; whether it is JSON at all is the parser's to say.
 */
export function findJsonExcess(json: Buffer, mostValues = MOST_VALUES): FieldIssue | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = findEndOfString(json, at);
    else if (byte === COMMA) values += 1;
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      depth += 1;
      values += 1;
      if (depth > DEEPEST) return { field: 'body', rule: `must not be nested deeper than ${DEEPEST} levels` };
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth -= 1;
    if (values > mostValues) return { field: 'body', rule: `must not hold more than ${mostValues} values` };
  }
  return undefined;
}

/** Place of the quotation mark that ends the string which begins at `start`; the body's end where there is none. */
function findEndOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}
