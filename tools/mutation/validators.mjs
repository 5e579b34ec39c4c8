const REASONING = 'libs/reasoning/src';

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
].map((file) => `${REASONING}/${file}`);

/** What CI mutates: boundary checks 1 and 6. */
export const SMOKE = ['run/check-lineage.ts', 'evidence/validate-answer.ts'].map((file) => `${REASONING}/${file}`);

/** The specs that hold them. They use nothing of jest but `describe`, `it`, `each` and `expect`. */
export const SPECS = [
  'run/boundary-checks.spec.ts',
  'run/covered-cases.spec.ts',
  'run/policies.spec.ts',
  'evidence/build-evidence-bundle.spec.ts',
  'evidence/read-answer.spec.ts',
  'expansion/expansion.spec.ts',
  'graph/parse-graph.spec.ts',
  'proposals/proposals.spec.ts',
  'serialization/reasoning-response-json.spec.ts',
].map((file) => `${REASONING}/${file}`);
