import { matchWords, readQueryTerms } from '@candor/reasoning/relevance';
import type { Candidate } from '@candor/search-index/read';
import { aCandidate, aChunk } from '../testing/builders.js';
import { isExhausted } from './is-exhausted.js';
import type { ReadWords } from './select-page.js';

const rule = { relevanceFloor: 0.5, cosineGuard: 0.6, wordWeight: 0.3, evidenceGuard: 0.75 };
const ASKED = 'parental leave policy';

const readWords = (query: string): ReadWords => {
  const terms = readQueryTerms(query);
  const matchOf: ReadWords['matchOf'] = ({ content }) => matchWords(terms, { headings: [], content });
  return { terms, matchOf };
};
const dense = (cosine: number): Candidate => aCandidate({ cosine, chunk: aChunk({ content: 'Something else' }) });
const lexical = (cosine: number, content: string): Candidate =>
  aCandidate({ cosine, denseRank: null, lexicalRank: 1, lexicalScore: 1, chunk: aChunk({ content }) });

describe('isExhausted', () => {
  const far = [dense(0.6), dense(0.4)];

  it.each<[string, string, Candidate[], number | null, typeof rule | null, boolean]>([
    ['fewer than asked for: those are all', ASKED, [dense(0.9)], 0.5, rule, true],
    ['all near enough', ASKED, [dense(0.9), dense(0.6)], 0.5, rule, false],
    ['nothing is too far', ASKED, far, null, rule, false],
    ['the rest is too far, and words let nothing in', ASKED, far, 0.5, null, true],
    ['no more that has the words', ASKED, [...far, lexical(0.1, 'Leave')], 0.5, rule, true],
    [
      'more words, none of them enough',
      ASKED,
      [...far, lexical(0.46, 'Leave'), lexical(0.46, 'Policy')],
      0.5,
      rule,
      true,
    ],
    ['more words, but all too far', ASKED, [...far, lexical(0.4, ASKED), lexical(0.3, ASKED)], 0.5, rule, true],
    ['some let in by their words', ASKED, [...far, lexical(0.46, ASKED), lexical(0.46, 'Leave')], 0.5, rule, false],
    ['an identifier may come yet', 'ERR-4711', [...far, lexical(0.1, 'ERR'), lexical(0.1, 'ERR')], 0.5, rule, false],
    ['no more that has a part of the identifier', 'ERR-4711', [...far, lexical(0.1, 'ERR-4711')], 0.5, rule, true],
  ])('%s', (_, query, found, threshold, by, expected) => {
    expect(isExhausted(found, 2, threshold, by, readWords(query))).toBe(expected);
  });
});
