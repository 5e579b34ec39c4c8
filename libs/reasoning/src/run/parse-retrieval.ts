import { trustedResultSchema, type TrustedResult } from '../trust/trusted-result.js';
import { PortOutputError, parseOutput } from './port-output-error.js';

/** A retriever's output. A search that wasn't held to the asked transaction time may hold what was learned later. */
export function parseRetrieval(output: unknown, knownAsOf: string | null): TrustedResult {
  const result = parseOutput(trustedResultSchema, output);
  const asked = knownAsOf === null ? null : Date.parse(knownAsOf);
  const held = result.knownAsOf === null ? null : Date.parse(result.knownAsOf);
  if (asked !== held) throw new PortOutputError('malformed_output', 'knownAsOf is not the one asked for.');
  return result;
}
