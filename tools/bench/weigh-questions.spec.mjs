import { guardAt, refusedHeldOut, shareRefused } from './support/weigh-questions.mjs';

const RULE = { relevanceFloor: 0, cosineGuard: 0, wordWeight: 0, evidenceGuard: 0 };
const weighed = (cosine) => ({
  terms: { words: ['word'], identifiers: [], wordsDecide: true },
  passages: [{ cosine, match: { coverage: 0, isComplete: false, hasIdentifier: false } }],
});

describe('refusedHeldOut', () => {
  it('judges each group by a guard that it had no part in', () => {
    const groups = ['a', 'a', 'b', 'b'];
    const present = [0.5, 0.6, 0.8, 0.9].map(weighed);
    const absent = [0.2, 0.7, 0.45, 0.55].map(weighed);
    expect([guardAt(present.slice(2), RULE, 0), guardAt(present.slice(0, 2), RULE, 0)]).toEqual([0.8, 0.5]);
    const { guards, refused } = refusedHeldOut(groups, [present, absent], RULE, 0);
    // 0.8 for a: both refused, and both of what is absent; 0.5 for b: none, and one of two.
    expect(guards).toEqual([0.5, 0.8]);
    expect(refused).toEqual([0.5, 0.75]);
    expect(shareRefused(present, { ...RULE, evidenceGuard: 0.5 })).toBe(0);
  });
});
