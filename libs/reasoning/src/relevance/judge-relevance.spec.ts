import fc from 'fast-check';
import { clearsFloor, judgeRelevance, type JudgedPassage, type RelevanceRule } from './judge-relevance.js';
import { matchWords } from './match-words.js';
import { readQueryTerms } from './read-query-terms.js';

const rule: RelevanceRule = { relevanceFloor: 0.58, cosineGuard: 0.59, wordWeight: 0.3, evidenceGuard: 0.75 };
const QUESTION = 'What is our parental leave policy?';

const passage = (query: string, cosine: number, text: string): JudgedPassage => ({
  cosine,
  match: matchWords(readQueryTerms(query), { headings: [], content: text }),
});
const judge = (query: string, ...found: [cosine: number, text: string][]) =>
  judgeRelevance(
    found.map(([cosine, text]) => passage(query, cosine, text)),
    readQueryTerms(query),
    rule,
  );

describe('judgeRelevance', () => {
  it('refuses what is near and has other words', () => {
    expect(judge(QUESTION, [0.63, 'Security policy'])).toBe(false);
  });

  it('takes what has the words, though it is no nearer', () => {
    expect(judge(QUESTION, [0.63, 'Parental leave lasts 16 weeks.'])).toBe(true);
  });

  it('takes what is very near without a word in common', () => {
    expect(judge(QUESTION, [0.76, 'Mothers and fathers stay at home for 16 weeks.'])).toBe(true);
  });

  it('wants nearness and words in one passage', () => {
    expect(judge(QUESTION, [0.66, 'Security rules'], [0.59, 'Leave'])).toBe(false);
    expect(judge(QUESTION, [0.66, 'Leave'], [0.59, 'Security rules'])).toBe(true);
  });

  it('does not count words of a passage that is too far away to be shown', () => {
    expect(judge(QUESTION, [0.57, 'Leave policy'])).toBe(false);
    expect(judge(QUESTION, [0.46, 'Parental leave policy'])).toBe(true);
    expect(judge(QUESTION, [0.44, 'Parental leave policy'])).toBe(false);
  });

  it.each(['Wann fährt der Aufzug in Leipzig wieder?', 'What is it?'])('judges “%s” by the cosine alone', (query) => {
    expect(judge(query, [0.59, 'The lift works.'])).toBe(true);
    expect(judge(query, [0.58, 'The lift works.'])).toBe(false);
  });

  it('takes a passage with the identifier asked for, however far away', () => {
    expect(judge('What does ERR-4711 mean?', [0.1, '| ERR-4711 | pump |'])).toBe(true);
    expect(judge('What does ERR-4711 mean?', [0.1, '| ERR-4712 | pump |'])).toBe(false);
  });

  it('finds nothing relevant in nothing', () => {
    expect(judge(QUESTION)).toBe(false);
  });

  it('never turns relevant into irrelevant for a nearer passage, another matching word or another passage', () => {
    const WORDS = ['parental', 'leave', 'policy', 'ERR-4711', 'noise', 'other'];
    const query = fc.constantFrom(
      QUESTION,
      'parental leave',
      'Wie lange dauert Elternzeit für policy',
      'is ERR-4711 a policy',
    );
    const found = fc.record({
      cosine: fc.double({ min: -1, max: 1, noNaN: true }),
      words: fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }),
    });
    const gain = fc.record({
      which: fc.nat(5),
      nearer: fc.double({ min: 0, max: 1, noNaN: true }),
      words: fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }),
      more: fc.array(found, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(
        query,
        fc.array(found, { minLength: 1, maxLength: 6 }),
        gain,
        (text, passages, { which, nearer, words, more }) => {
          const judgeAll = (all: typeof passages) =>
            judge(text, ...all.map((each): [number, string] => [each.cosine, each.words.join(' ')]));
          const better = passages.map((each, index) =>
            index === which % passages.length
              ? { cosine: each.cosine + nearer, words: [...each.words, ...words] }
              : each,
          );
          fc.pre(judgeAll(passages));
          expect(judgeAll([...better, ...more])).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('clearsFloor', () => {
  it.each<[string, number, string, boolean]>([
    ['near', 0.58, 'Security', true],
    ['not near', 0.57, 'Leave policy', false],
    ['not near, with all of the words', 0.57, 'Parental leave policy', true],
    ['far away, with all of the words', 0.4, 'Parental leave policy', false],
  ])('%s: %p “%s” → %p', (_, cosine, text, expected) => {
    expect(clearsFloor(passage(QUESTION, cosine, text), rule.relevanceFloor, rule)).toBe(expected);
  });
});
