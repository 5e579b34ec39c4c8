import { createHash } from 'node:crypto';
import { invalidField, LEAST_CALIBRATION_QUERIES } from '@candor/contracts';

export interface LabelledQuery {
  query: string;
  answerable: boolean;
}

/**
 * The caller's queries, each once, and those of feedback that it doesn't label itself.
 *
 * @throws AppError REQUEST.INVALID for a query with two labels, and for fewer than 20 of a kind.
 */
export function collectQueries(own: readonly LabelledQuery[], fromFeedback: readonly LabelledQuery[]): LabelledQuery[] {
  const labels = new Map<string, boolean>();
  for (const [index, { query, answerable }] of own.entries()) {
    if (labels.has(query) && labels.get(query) !== answerable)
      throw invalidField(`queries[${index}]`, 'repeats a query with another label');
    labels.set(query, answerable);
  }
  for (const { query, answerable } of fromFeedback) if (!labels.has(query)) labels.set(query, answerable);
  const queries = [...labels].map(([query, answerable]) => ({ query, answerable }));
  const answerable = queries.filter((query) => query.answerable).length;
  if (Math.min(answerable, queries.length - answerable) < LEAST_CALIBRATION_QUERIES)
    throw invalidField(
      'queries',
      `must hold at least ${LEAST_CALIBRATION_QUERIES} answerable and ${LEAST_CALIBRATION_QUERIES} unanswerable ` +
        `(there are ${answerable} and ${queries.length - answerable})`,
    );
  return queries;
}

/** SHA-256 (hex) of the labelled queries, in whatever order. */
export function digestQueries(queries: readonly LabelledQuery[]): string {
  const lines = queries.map(({ query, answerable }) => JSON.stringify([query, answerable])).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
