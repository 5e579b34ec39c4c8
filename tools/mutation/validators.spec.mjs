// All specs that hold the validators, in one file: a mutant then loads them once.
import '../../libs/reasoning/src/evidence/build-evidence-bundle.spec.js';
import '../../libs/reasoning/src/evidence/read-answer.spec.js';
import '../../libs/reasoning/src/expansion/expansion.spec.js';
import '../../libs/reasoning/src/graph/parse-graph.spec.js';
import '../../libs/reasoning/src/proposals/proposals.spec.js';
import '../../libs/reasoning/src/run/boundary-checks.spec.js';
import '../../libs/reasoning/src/run/covered-cases.spec.js';
import '../../libs/reasoning/src/run/policies.spec.js';
import '../../libs/reasoning/src/serialization/reasoning-response-json.spec.js';
