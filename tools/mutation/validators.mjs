/** Files that decide what may become evidence, a proposal or an answer. No mutant of them may survive. */
export const VALIDATORS = [
  'evidence/answer-envelope.ts',
  'evidence/evidence-prompt.ts',
  'evidence/normalize-citations.ts',
  'evidence/read-answer.ts',
  'evidence/validate-answer.ts',
  'expansion/parse-expansion.ts',
  'graph/parse-graph.ts',
  'proposals/parse-proposals.ts',
  'run/check-lineage.ts',
  'run/parse-retrieval.ts',
  'run/retrieve-evidence.ts',
  'serialization/convert-keys.ts',
  'serialization/find-inconsistencies.ts',
].map((file) => `libs/reasoning/src/${file}`);

/** The one that CI mutates: boundary checks 1 and 2 in a few seconds. */
export const SMOKE = ['libs/reasoning/src/run/check-lineage.ts'];
