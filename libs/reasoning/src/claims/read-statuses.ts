import { tokenizeWords } from '../relevance/tokenize-words.js';
import type { StatedValue } from './claim.js';

/** Each line: states of which one thing has one only; words of one state are separated by blanks. */
const OPPOSITES = [
  ['active', 'inactive', 'deprecated', 'retired discontinued decommissioned', 'archived', 'suspended paused'],
  ['approved accepted ratified agreed', 'rejected declined refused', 'pending undecided proposed'],
  ['enabled', 'disabled'],
  ['required mandatory compulsory obligatory', 'optional voluntary', 'forbidden prohibited banned'],
  ['allowed permitted', 'forbidden prohibited banned disallowed'],
  ['supported', 'unsupported'],
  ['available', 'unavailable'],
  ['open', 'closed'],
  ['public', 'private confidential'],
  ['completed finished shipped released', 'postponed delayed', 'cancelled canceled abandoned'],
  [
    'increase raise elevate enhance upregulate higher greater more rise grow improve',
    'decrease reduce diminish suppress downregulate impair lower less fewer decline drop fall worsen',
  ],
  ['promote activate stimulate', 'inhibit block prevent'],
  ['present', 'absent'],
  ['positive', 'negative'],
  ['success succeed successful', 'failure fail unsuccessful'],
  ['effective', 'ineffective'],
  ['safe', 'unsafe harmful'],
  ['associated correlated linked', 'unrelated'],
  ['affect influence alter', 'unaffected'],
];
const NEGATIONS =
  /\b(?:not|never|no|no longer|cannot|without|lack of|isn[’']t|aren[’']t|wasn[’']t|doesn[’']t|don[’']t|won[’']t|can[’']t)\b/i;

interface State {
  group: number;
  state: string;
}

const STATES = new Map<string, State[]>();
for (const [group, states] of OPPOSITES.entries()) {
  for (const state of states) {
    for (const word of state.split(' ')) {
      const [stem = word] = tokenizeWords(word);
      const name = state.split(' ')[0] ?? state;
      STATES.set(stem, [...(STATES.get(stem) ?? []), { group, state: name }]);
    }
  }
}

/** States that a clause says of its subject; a negation before the word makes it another state of the same group. */
export function readStatuses(clause: string): StatedValue[] {
  const found: StatedValue[] = [];
  for (const match of clause.matchAll(/[\p{L}]+/gu)) {
    const [stem = ''] = tokenizeWords(match[0]);
    for (const { group, state } of STATES.get(stem) ?? []) {
      const before = clause.slice(Math.max(0, match.index - 24), match.index);
      const negation = NEGATIONS.exec(before);
      const start = negation === null ? match.index : match.index - before.length + negation.index;
      const end = match.index + match[0].length;
      found.push({
        kind: 'conflicting_status',
        dimension: `status:${group}`,
        normalized: negation === null ? state : `not ${state}`,
        value: clause.slice(start, end),
        start,
        end,
      });
    }
  }
  return found;
}

/** `not approved` agrees with `rejected`; it differs from `approved` alone. */
export function statusesDiffer(left: string, right: string): boolean {
  const leftState = left.replace(/^not /, '');
  const rightState = right.replace(/^not /, '');
  const negated = Number(left !== leftState) + Number(right !== rightState);
  return negated === 1 ? leftState === rightState : negated === 0 && leftState !== rightState;
}
