const REASONING = 'libs/reasoning/src';

/** Files that decide what may become evidence, a proposal or an answer, and what each holds. No mutant of them may survive. */
const HOLDS = {
  'calibration/judge-calibration.ts': 'covered case 6: whether a calibration certifies what is served',
  'contradictions/detect-contradictions.ts': 'both sides, and the one place where an outdated passage shows',
  'contradictions/settle-contradiction.ts': 'what a declared relation prefers',
  'evidence/answer-envelope.ts': 'boundary check 6: the strict envelope',
  'evidence/build-evidence-bundle.ts': 'covered case 2: which hits become items, and why others don’t',
  'evidence/demote-items.ts': 'what leaves the evidence after planning',
  'evidence/evidence-prompt.ts': 'boundary check 5: the escaped payload',
  'evidence/normalize-citations.ts': 'boundary check 6: brackets and repetitions, nothing looser',
  'evidence/read-answer.ts': 'boundary check 6: the one way from output to answer',
  'evidence/validate-answer.ts': 'boundary check 6, covered cases 1 to 4: ids of trusted items',
  'expansion/parse-expansion.ts': 'binding of further retrieval rounds',
  'graph/parse-graph.ts': 'boundary check 2, with cuts, rejections and a corpus that moved',
  'graph/supersession.ts': 'what replaced a document, and what is valid',
  'planning/plan-evidence.ts': 'the walk over declared relations, and what it takes out',
  'proposals/identify-proposal.ts': 'the id of a finding',
  'proposals/parse-proposals.ts': 'boundary checks 3 and 4, with rejected findings',
  'proposals/propose-conflicts.ts': 'what rules propose, and what a person decided already',
  'run/answer-from-evidence.ts': 'the one call of the answer provider',
  'run/assemble-evidence.ts': 'what becomes the bundle, and what is outdated',
  'run/check-lineage.ts': 'boundary checks 1 and 2: tenant, generation, fingerprints',
  'run/parse-retrieval.ts': 'what a retriever gives, and the transaction time it was held to',
  'run/plan-proposals.ts': 'graph, proposals and planning before any answer',
  'run/reason.ts': 'the order of the checks, and the second start',
  'run/retrieve-evidence.ts': 'boundary check 1, covered cases 5 and 6: certification',
  'schema/parse-output.ts': 'JSON or a value, held to a schema, and what is told of one that isn’t',
  'serialization/convert-keys.ts': 'covered case 11: keys',
  'serialization/find-inconsistencies.ts': 'boundary check 7, covered cases 12 and 13: parts of a response',
  'synthesis-output.ts': 'the strict output of a `/v1/reason` synthesis',
  'trust/judge-hit.ts': 'the verdict of each hit',
  'trust/trusted-search.ts': 'threshold or floor, trusted or degraded',
  'validate-citations.ts': 'each quotation of a `/v1/reason` answer, in its chunk as shown',
};

/** By path from the root. */
export const HELD_BY_FILE = new Map(Object.entries(HOLDS).map(([file, holds]) => [`${REASONING}/${file}`, holds]));
export const VALIDATORS = [...HELD_BY_FILE.keys()];

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
  'synthesis-output.spec.ts',
  'trust/trusted-search.spec.ts',
  'validate-citations.spec.ts',
].map((file) => `${REASONING}/${file}`);
