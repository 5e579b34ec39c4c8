import { segmentQuery, segmentText } from './segment-text.js';

const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

describe('segmentText', () => {
  it.each(['', 'Wie lautet der Name?', 'كم دام المسرح؟', 'ERR-4711: 한국어 텍스트', 'line\nbreak'])(
    'leaves text with spaces as it is: %j',
    (text) => {
      expect(segmentText(text)).toBe(text);
      expect(segmentQuery(text)).toBe(text);
    },
  );

  it.each([
    ['剧院', ['剧', '院', '剧院']],
    ['水', ['水']],
    ['合同，条款', ['合', '同', '合同', '，', '条', '款', '条款']],
    ['2000年の Pokal', ['2000', '年', 'の', '年の', 'Pokal']],
    ['𠮷野', ['𠮷', '野', '𠮷野']],
    ['ไทย', ['ไ', 'ท', 'ย', 'ไท', 'ทย']],
  ])('makes characters and pairs of %s', (text, words) => {
    expect(wordsOf(segmentText(text))).toEqual(words);
  });

  it('asks for the whole run, too', () => {
    expect(wordsOf(segmentQuery('租赁合同'))).toEqual(['租', '赁', '合', '同', '租赁', '赁合', '合同', '租赁合同']);
  });
});
