const REASONING = 'libs/reasoning/src';

/** Files that decide what may become evidence, a proposal or an answer. No mutant of them may survive. */
export const VALIDATORS = [
  'contradictions/detect-contradictions.ts',
  'contradictions/settle-contradiction.ts',
  'evidence/answer-envelope.ts',
  'evidence/evidence-prompt.ts',
  'evidence/normalize-citations.ts',
  'evidence/read-answer.ts',
  'evidence/validate-answer.ts',
  'expansion/parse-expansion.ts',
  'graph/parse-graph.ts',
  'proposals/identify-proposal.ts',
  'proposals/parse-proposals.ts',
  'proposals/propose-conflicts.ts',
  'run/answer-from-evidence.ts',
  'run/assemble-evidence.ts',
  'run/check-lineage.ts',
  'run/parse-retrieval.ts',
  'run/plan-proposals.ts',
  'run/reason.ts',
  'run/retrieve-evidence.ts',
  'serialization/convert-keys.ts',
  'serialization/find-inconsistencies.ts',
].map((file) => `${REASONING}/${file}`);

/** What CI mutates: boundary checks 1 and 6. */
export const SMOKE = ['run/check-lineage.ts', 'evidence/validate-answer.ts'].map((file) => `${REASONING}/${file}`);

/** The specs that hold them. They use nothing of jest but `describe`, `it`, `each` and `expect`. */
export const SPECS = [
  'run/boundary-checks.spec.ts',
  'run/budget.spec.ts',
  'run/covered-cases.spec.ts',
  'run/declared-relations.spec.ts',
  'run/policies.spec.ts',
  'run/provider-failures.spec.ts',
  'calibration/calibration.spec.ts',
  'contradictions/detect-contradictions.spec.ts',
  'evidence/build-evidence-bundle.spec.ts',
  'evidence/read-answer.spec.ts',
  'expansion/expansion.spec.ts',
  'graph/parse-graph.spec.ts',
  'graph/supersession.spec.ts',
  'planning/plan-evidence.spec.ts',
  'proposals/identify-proposal.spec.ts',
  'proposals/proposals.spec.ts',
  'serialization/reasoning-response-json.spec.ts',
  'trust/trusted-search.spec.ts',
].map((file) => `${REASONING}/${file}`);
