import fc from 'fast-check';
import { stemWord, tokenizeWords } from './tokenize-words.js';

describe('tokenizeWords', () => {
  it.each([
    ['What is our parental leave policy?', ['parental', 'leave', 'policy'].map(stemWord)],
    ['The policies of Velohaus Grünlinden', [stemWord('policy'), stemWord('velohaus'), 'grunlinden']],
    ['Release 4.8 of ERR-4711', [stemWord('release'), '4', '8', 'err', '4711']],
    ['when is it?', []],
  ])('%s', (text, expected) => {
    expect(tokenizeWords(text)).toEqual(expected);
  });

  it('gives pairs of characters where no spaces part the words', () => {
    expect(tokenizeWords('夏季剧院')).toEqual(['夏季', '季剧', '剧院']);
  });
});

describe('stemWord', () => {
  it.each([
    ['bookings', 'booking', 'booked'],
    ['policies', 'policy'],
    ['released', 'releases', 'releasing'],
  ])('gives %s and %s the same stem', (...forms) => {
    expect(new Set(forms.map(stemWord)).size).toBe(1);
  });

  it('is always the beginning of the word', () => {
    const ending = fc.constantFrom(
      '',
      's',
      'ies',
      'sses',
      'ing',
      'ed',
      'er',
      'ly',
      'ally',
      'ation',
      'ments',
      'y',
      'ness',
    );
    const word = fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), ending).map((parts) => parts.join(''));
    fc.assert(
      fc.property(word, (text) => text.startsWith(stemWord(text))),
      { numRuns: 2_000 },
    );
  });
});
