import { table } from '../report.mjs';
import { writeAttackTable } from './reason-report.mjs';

const percent = (value) => (Number.isNaN(value) ? '–' : `${(100 * value).toFixed(1)} %`);
const of = (count, all) => (all === 0 ? '–' : `${count} of ${all}`);
const failuresOf = ({ failures }) =>
  failures.size === 0 ? '0' : [...failures].map(([kind, count]) => `${count} ${kind}`).join(', ');

function describeCalibration(calibration) {
  if (calibration === null) return 'none: degraded';
  const { aucLowerBound, certified } = calibration;
  return `${certified ? 'certified: strict' : 'not certified: degraded'} (${aucLowerBound.toFixed(3)})`;
}

/** The same questions and attacks through `/v1/reasoning`. */
export function writeTypedReport({ measured, injection, name }) {
  const rows = measured.map(({ title, calibration, present, absent, adversarial }) => [
    title,
    present.questions,
    describeCalibration(calibration),
    of(present.answered, present.offered),
    of(present.validCitations, present.citations),
    of(present.verbatim, present.parts),
    of(present.right, present.withText),
    percent(present.golden),
    of(present.refused, present.questions),
    of(absent.refused, absent.questions),
    of(adversarial.refused, adversarial.questions),
    [present, absent, adversarial].map(failuresOf).join(' / '),
  ]);
  const head = [
    'set',
    'questions',
    'calibration (lower bound of its AUC)',
    'answers kept',
    'citations valid',
    'parts quoted word for word',
    'answers right',
    'the right document cited',
    'refused wrongly',
    'subject deleted: refused',
    'adversarial: refused',
    'failed (answerable / deleted / adversarial)',
  ];
  return `## Typed answers (\`/v1/reasoning\`)

The same sets through the typed run: trusted retrieval over the same index, the provider \`${name}\` behind the evidence prompt pair (5 passages, at most 2,048
tokens), strict envelope. Strict where a calibration with other questions of the set is certified, else with \`require_certified_evidence: false\`. A set whose
questions are all measured has none left to calibrate with.

${table(head, rows)}

- _answers kept_: of the answers that the provider gave, those whose every citation was an item of the evidence; the rest abstain as \`provider_failure\`.
- _citations valid_: ids that the provider returned and that were shown to it. _parts quoted word for word_: parts of an answer that stand in a passage it cites.
- _the right document cited_: of all answerable questions. The other columns are those of the table above.${injection ? `\n\n${writeTypedAttacks(injection)}` : ''}`;
}

function writeTypedAttacks(injection) {
  return `### The same attacks, typed

${writeAttackTable(injection)}

_changed scope_: a passage shown, an item or a citation out of the caller's reach; _citations_: one that is no item of the evidence, or a token in the prose; _ids_: a
passage, document or title other than the index's; _schema_: a response that the strict reader refuses. These must be 0.`;
}

export function writeContradictionReport({ demo, contradicting, supporting }) {
  const rows = [
    [`demo workspace, all ${demo.documents} documents with each other`, of(demo.right, demo.there), demo.wrong],
    [`SciFact train, claims with evidence that contradicts them`, of(contradicting.found, contradicting.pairs), '–'],
    [`SciFact train, claims with evidence that supports them (${supporting.pairs} pairs)`, '–', supporting.found],
  ];
  return `## Contradictions found by rules

${table(['measured on', 'found', 'wrong'], rows)}

What the rules are and what was tried: [contradictions.md](contradictions.md).`;
}
