import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitSentences } from './split-sentences.js';

const rawOf = (content: string) => splitSentences(content).map(({ start, end }) => content.slice(start, end));
const textOf = (content: string) => splitSentences(content).map(({ text }) => text);

describe('splitSentences', () => {
  it.each<[string, string, string[]]>([
    ['plain sentences', 'One is here. Two is there! Is three?', ['One is here.', 'Two is there!', 'Is three?']],
    ['titles and initials', 'Dr. J. R. Smith came. He left.', ['Dr. J. R. Smith came.', 'He left.']],
    ['abbreviations', 'See e.g. Fig. 3 of Vol. 2. It is clear.', ['See e.g. Fig. 3 of Vol. 2.', 'It is clear.']],
    ['decimals', 'It costs 3.50 a day. That is much.', ['It costs 3.50 a day.', 'That is much.']],
    [
      'bullets',
      '- first item\n* second item. It has two.\n3) third',
      ['first item', 'second item.', 'It has two.', 'third'],
    ],
    ['tasks and quotations', '- [x] done\n> said so', ['done', 'said so']],
    ['chat lines', 'Ana: the limit is 5\nBob Lee: no, 10', ['Ana: the limit is 5', 'Bob Lee: no, 10']],
    [
      'stamped chat lines',
      '[2024-05-01 10:00] Ana: yes\n[10:01] bob: no',
      ['[2024-05-01 10:00] Ana: yes', '[10:01] bob: no'],
    ],
    ['paragraphs', 'First paragraph without an end\n\nSecond one', ['First paragraph without an end', 'Second one']],
    ['table rows, without their rule', '| a | b |\n|---|---|\n| c | 1 |', ['| a | b |', '| c | 1 |']],
    ['no URLs', 'See http://x.example/a?b=1!c now. Then go.', ['See http://x.example/a?b=1!c now.', 'Then go.']],
    ['code fences', '```sh\nnpm start\n```', ['npm start']],
    ['Chinese', '第一句。第二句！', ['第一句。', '第二句！']],
    ['short lines', 'Plan A\nPlan B', ['Plan A', 'Plan B']],
  ])('separates %s', (_, content, expected) => {
    expect(rawOf(content)).toEqual(expected);
  });

  it('joins hard-wrapped lines and keeps the line end in the quotation', () => {
    const content = 'The committee met on Monday in the large hall\r\nand decided nothing. It adjourned.';
    expect(rawOf(content)).toEqual([
      'The committee met on Monday in the large hall\r\nand decided nothing.',
      'It adjourned.',
    ]);
    expect(textOf(content)[0]).toBe('The committee met on Monday in the large hall and decided nothing.');
  });

  it('marks headings', () => {
    expect(splitSentences('## Limits\nText.').map(({ text, isHeading }) => [text, isHeading])).toEqual([
      ['Limits', true],
      ['Text.', false],
    ]);
  });

  it('removes mark-up from the readable text only', () => {
    expect(
      textOf('See **bold**, _it_, `code`, [link](http://x), ![img](y) and [[page|Name]] in snake_case_name.'),
    ).toEqual(['See bold, it, code, link, img and Name in snake_case_name.']);
  });

  it('takes lists of lists for no links', () => {
    expect(textOf('Use [[1,2],[3,4]] there.')).toEqual(['Use [[1,2],[3,4]] there.']);
  });

  it('takes text without any end in bounded pieces', () => {
    const pieces = rawOf('word '.repeat(2_000));
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(600);
    expect(pieces.join(' ')).toBe('word '.repeat(2_000).trim());
  });

  it('gives ordered, separate and trimmed ranges of any text', () => {
    const parts = fc.constantFrom(
      'Word',
      ' ',
      '\n',
      '\r\n',
      '. ',
      '- ',
      '# ',
      '**',
      '|',
      ': ',
      '中',
      '。',
      '```',
      '? ',
      'Mr. ',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 80 }), (all) => {
        const content = all.join('');
        let last = 0;
        for (const { start, end, text } of splitSentences(content)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(content.slice(start, end)).toBe(content.slice(start, end).trim());
          expect(text).not.toBe('');
          last = end;
        }
      }),
    );
  });

  it('takes time that grows with the length only', () => {
    for (const hostile of [
      '*'.repeat(20_000),
      '['.repeat(20_000),
      '`'.repeat(20_000),
      '_a'.repeat(10_000),
      '- '.repeat(10_000),
      'A. '.repeat(7_000),
    ]) {
      expect(Array.isArray(splitSentences(hostile))).toBe(true);
    }
  }, 5_000);
});
