import { countWords } from './count-words.js';

describe('countWords', () => {
  it.each([
    ['', 0],
    ["We're keeping the lime-green accent — for now.", 8],
    ['   \n ', 0],
    ['我们保留绿色', 3],
  ])('%p has %p words', (text, words) => expect(countWords(text)).toBe(words));

  it('counts those of a book without holding the process for minutes', () => {
    expect(countWords('We keep the lime-green accent. '.repeat(40_000))).toBe(240_000);
  });
});
