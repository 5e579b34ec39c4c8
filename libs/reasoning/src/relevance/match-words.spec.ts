import fc from 'fast-check';
import { matchWords } from './match-words.js';
import { readQueryTerms } from './read-query-terms.js';
import { tokenizeWords } from './tokenize-words.js';

const match = (query: string, content: string, ...headings: string[]) =>
  matchWords(readQueryTerms(query), { headings, content });

describe('matchWords', () => {
  it.each([
    ['How do we approve releases?', 'Every production release is approved by the captain.', 1],
    ['What is our parental leave policy?', 'Security policy\nLeave no laptop behind.', 2 / 3],
    ['Who is at Velohaus Grünlinden?', 'VELOHAUS GRUNLINDEN', 1],
    ['Who is at Velohaus Grunlinden?', 'velohaus grünlinden', 1],
    ['the lease', 'Please release it.', 0],
    ['夏季剧院', '夏季的剧院', 2 / 3],
    ['what is it', 'what is it', 0],
    ['patents', '', 0],
  ])('“%s” in “%s”: %p', (query, text, coverage) => {
    expect(match(query, text).coverage).toBeCloseTo(coverage);
  });

  it('counts words of title and headings, and tells when the content has all of them itself', () => {
    const query = 'parental leave policy';
    const split = match(query, 'Leave lasts long.', 'Policies', 'Parental');
    expect(split).toMatchObject({ coverage: 1, isComplete: false });
    expect(match(query, 'The parental leave policy.')).toMatchObject({ coverage: 1, isComplete: true });
    expect(match('What is it?', 'What is it?').isComplete).toBe(false);
    expect(match('ERR-4711', 'A pump.', 'ERR-4711').hasIdentifier).toBe(true);
  });

  it.each([
    ['ERR-4711', 'It fails with err-4711.', true],
    ['ERR-4711', 'It fails with ERR-47110.', false],
    ['ERR-4711', 'It fails with XERR-4711.', false],
    ['ERR-4711', 'ERR 4711', false],
    ['order 778812', '778812', true],
    ['order 77', '77', false],
  ])('“%s” as an identifier in “%s”: %p', (query, text, expected) => {
    expect(match(query, text).hasIdentifier).toBe(expected);
  });

  it('finds what tokenizing the whole text would find', () => {
    const word = fc.oneof(
      fc.constantFrom('policy', 'policies', 'leave', 'leaves', 'lease', 'release', 'released', 'fly', 'flies', 'ties'),
      fc.stringMatching(/^[a-e]{2,6}(s|ing|ed|ly|er|ies)?$/),
      fc.constantFrom('Grünlinden', 'école', '4711', 'Q3', 'the', 'of'),
    );
    const text = fc
      .array(fc.tuple(word, fc.constantFrom(' ', ', ', '-', '.\n', '/')))
      .map((parts) => parts.flat().join(''));
    fc.assert(
      fc.property(text, text, (query, passage) => {
        const words = new Set(tokenizeWords(query));
        const held = new Set(tokenizeWords(passage));
        const share = words.size === 0 ? 0 : [...words].filter((each) => held.has(each)).length / words.size;
        expect(match(query, passage).coverage).toBeCloseTo(share);
      }),
      { numRuns: 1_000 },
    );
  });
});
