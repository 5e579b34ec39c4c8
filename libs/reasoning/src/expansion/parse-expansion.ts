import { PortOutputError, parseOutput } from '../run/port-output-error.js';
import { parseRetrieval } from '../run/parse-retrieval.js';
import type { TrustedResult } from '../trust/trusted-result.js';
import { MOST_QUERIES, expansionQueriesSchema } from './expansion.js';

/** Queries to make: at most three given, each once, without the one that was asked already. Throws PortOutputError. */
export function parseQueries(output: unknown, asked: string): string[] {
  const given: unknown = (output as { queries?: unknown } | null | undefined)?.queries;
  if (Array.isArray(given) && given.length > MOST_QUERIES) {
    throw new PortOutputError('wrong_cardinality', `More than ${MOST_QUERIES} queries.`);
  }
  const { queries } = parseOutput(expansionQueriesSchema, output);
  return [...new Set(queries)].filter((query) => query !== asked.trim());
}

/**
 * Results of an expansion: one for each proposal, of the first retrieval's tenant, generation, trust and calibration.
 * Throws PortOutputError, so that nothing of a retriever that broke one of them is used.
 */
export function parseExpansionResults(
  output: unknown,
  expected: number,
  first: TrustedResult,
  knownAsOf: string | null,
): TrustedResult[] {
  if (!Array.isArray(output)) throw new PortOutputError('malformed_output', 'The output is no list of results.');
  if (output.length !== expected) {
    throw new PortOutputError('wrong_cardinality', `${output.length} results for ${expected} searches.`);
  }
  const results = output.map((result: unknown) => parseRetrieval(result, knownAsOf));
  for (const result of results) {
    const broken = findBrokenBinding(result, first);
    if (broken !== null) {
      throw new PortOutputError('malformed_output', `${broken} is not that of the first retrieval.`);
    }
  }
  return results;
}

function findBrokenBinding(result: TrustedResult, first: TrustedResult): string | null {
  if (result.identity.tenantId !== first.identity.tenantId) return 'tenantId';
  if (result.identity.generationId !== first.identity.generationId) return 'generationId';
  if (result.identity.pipelineFingerprint !== first.identity.pipelineFingerprint) return 'pipelineFingerprint';
  if (result.identity.corpusFingerprint !== first.identity.corpusFingerprint) return 'corpusFingerprint';
  if (result.trustState.failureCode !== first.trustState.failureCode) return 'trustState';
  const { calibration } = result;
  const same =
    calibration.status === first.calibration.status &&
    calibration.calibrationId === first.calibration.calibrationId &&
    calibration.querySetDigest === first.calibration.querySetDigest &&
    calibration.threshold === first.calibration.threshold;
  return same ? null : 'calibration';
}
