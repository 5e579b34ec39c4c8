import { matchWords, readQueryTerms } from '@candor/reasoning/relevance';
import type { Candidate } from '@candor/search-index/read';
import { aCandidate, aChunk } from '../testing/builders.js';
import { FUSION } from './fusion-settings.js';
import type { Rejection } from './judge-candidate.js';
import { judgeRound, type RoundOutcome } from './judge-round.js';
import type { ReadWords } from './select-page.js';

const RULE = { relevanceFloor: 0.5, cosineGuard: 0.6, wordWeight: 0.3, evidenceGuard: 0.75 };
const K = 100;
const USUAL = FUSION.maxRounds;
const LAST = FUSION.maxRoundsPastRejected;
/** Nothing of the kind is found, so a search for it never ends by itself. */
const words: ReadWords = {
  terms: readQueryTerms('ERR-4711'),
  matchOf: ({ content }) => matchWords(readQueryTerms('ERR-4711'), { headings: [], content }),
};

type Leg = Partial<Record<Rejection | 'visible', number>>;

/** As many candidates of one leg as there are of each verdict. */
function aLeg(counts: Leg, parts: Partial<Candidate>, rejected: Map<string, Rejection>): Candidate[] {
  return Object.entries(counts).flatMap(([verdict, count]) =>
    Array.from({ length: count ?? 0 }, () => {
      const candidate = aCandidate({ ...parts, chunk: aChunk({ content: 'ERR 12' }) });
      if (verdict !== 'visible') rejected.set(candidate.chunk.chunkId, verdict as Rejection);
      return candidate;
    }),
  );
}

interface Given {
  dense: Leg;
  /** Cosine of the dense leg. */
  cosine?: number;
  lexical?: Leg;
  rounds: number;
  threshold?: number | null;
  rule?: typeof RULE | null;
  isFull?: boolean;
}

function judge({
  dense,
  cosine = 0.7,
  lexical = {},
  rounds,
  threshold = 0.5,
  rule = RULE,
  isFull = false,
}: Given): RoundOutcome {
  const rejected = new Map<string, Rejection>();
  const found = [
    ...aLeg(dense, { cosine, denseRank: 1 }, rejected),
    ...aLeg(lexical, { cosine: 0.1, denseRank: null, lexicalRank: 1, lexicalScore: 1 }, rejected),
  ];
  return judgeRound({ found, k: K, rounds }, { isFull, threshold, rejected }, rule, words);
}

describe('judgeRound', () => {
  const gone = { dense: { gone: K } };
  const far = { cosine: 0.2, lexical: { visible: K } };

  it.each<[RoundOutcome, string, Given]>([
    ['finished', 'a full page, whatever is stale', { ...gone, rounds: 1, isFull: true }],
    ['finished', 'nothing is left to find', { dense: { gone: K - 1 }, rounds: LAST }],
    ['unfinished', 'a page that is short within the usual effort', { dense: { visible: K }, rounds: USUAL - 1 }],
    ['finished', 'the usual effort on what may all be shown', { dense: { visible: K }, rounds: USUAL }],
    ['finished', 'the usual effort on what is too far', { dense: { visible: K }, ...far, rounds: USUAL }],
    [
      'unfinished',
      'most of it is stale',
      { dense: { gone: 30, outdated: 15, withheld: 15, visible: 40 }, rounds: USUAL },
    ],
    ['unfinished', 'most of it was replaced', { dense: { superseded: 60, visible: 40 }, rounds: USUAL }],
    ['finished', 'half of it is stale', { dense: { gone: 50, visible: 50 }, rounds: USUAL }],
    ['index_behind', 'all effort on what is gone', { ...gone, rounds: LAST }],
    [
      'index_behind',
      'and edited, and closed',
      { dense: { gone: 30, outdated: 30, withheld: 30, visible: 10 }, rounds: LAST },
    ],
    ['finished', 'all effort, but a part may be shown', { dense: { gone: 70, visible: 30 }, rounds: LAST }],
    ['finished', 'all effort on what was replaced', { dense: { superseded: K }, rounds: LAST }],
    ['finished', 'more was replaced than is stale', { dense: { superseded: 60, gone: 40 }, rounds: LAST }],
    ['finished', 'what is stale is too far in any case', { dense: { gone: K }, ...far, rounds: USUAL }],
    [
      'index_behind',
      'what may have the words is stale',
      { dense: { visible: K }, cosine: 0.2, lexical: { gone: K }, rounds: LAST },
    ],
    [
      'finished',
      'what has the words is stale, but all of it is known',
      { dense: { visible: K }, lexical: { gone: K - 1 }, rounds: LAST },
    ],
    [
      'finished',
      'what has the words is stale, but words let nothing in',
      { dense: { visible: K }, lexical: { gone: K }, rounds: LAST, rule: null },
    ],
    [
      'index_behind',
      'nothing is too far, so words let in whatever has them',
      { dense: { visible: K }, lexical: { gone: K }, rounds: LAST, rule: null, threshold: null },
    ],
  ])('%s: %s', (expected, _, given) => {
    expect(judge(given)).toBe(expected);
  });
});
