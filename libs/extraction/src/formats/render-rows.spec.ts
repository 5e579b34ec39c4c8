import { describe, expect, it } from '@jest/globals';
import { detectDelimiter, readCsv } from './read-csv.js';
import { renderRows, type Cell } from './render-rows.js';
import { TextCollector } from './text-collector.js';

const render = (rows: Cell[][]): string[] => {
  const into = new TextCollector();
  renderRows(rows, into);
  return into.toString().trim().split('\n\n');
};
const read = (text: string): string[] => readCsv(Buffer.from(text), '').body.split('\n\n');

describe('renderRows', () => {
  it('says the names of the columns in every row', () => {
    expect(
      render([
        ['Team', 'Wins', 'Since'],
        ['Blues', 1, new Date('2019-06-12T00:00:00Z')],
        ['Flyers', 2, null],
      ]),
    ).toEqual(['Team | Wins | Since', 'Team: Blues | Wins: 1 | Since: 2019-06-12', 'Team: Flyers | Wins: 2']);
  });

  it('leaves a title above the header and a note below as they are', () => {
    expect(
      render([
        ['Cups', null],
        ['Team', 'Wins'],
        ['Blues', 1],
        ['All counted by hand', null],
      ]),
    ).toEqual(['Cups', 'Team | Wins', 'Team: Blues | Wins: 1', 'All counted by hand']);
  });

  it('takes values for values where there is no header', () => {
    expect(
      render([
        ['12', '30'],
        ['14', '28'],
      ]),
    ).toEqual(['12 | 30', '14 | 28']);
    expect(
      render([
        ['a', 'a'],
        [1, 2],
      ]),
    ).toEqual(['a | a', '1 | 2']);
  });

  it('keeps a cell on one line', () => {
    expect(
      render([
        ['A', 'B'],
        ['two\r\nlines', ' x '],
      ]),
    ).toEqual(['A | B', 'A: two lines | B: x']);
  });
});

describe('readCsv', () => {
  it.each<[string, string]>([
    [',', 'a,b,c\n1,"2;3",4\n5,6,7'],
    [';', 'Preis;Menge\n1,50;3\n2,75;4'],
    ['\t', 'a\tb, c\n1\t2, 3'],
    ['|', 'a|b\n1|2'],
  ])('finds the separator %j', (delimiter, text) => {
    expect(detectDelimiter(text)).toBe(delimiter);
  });

  it('reads quoted values with separators, quotes and line ends in them', () => {
    expect(read('name,text\n"Ada, L.","said ""yes""\nand left"\n')).toEqual([
      'name | text',
      'name: Ada, L. | text: said "yes" and left',
    ]);
  });

  it('reads rows of different lengths', () => {
    expect(read('a,b\n1\n1,2,3\n')).toEqual(['a | b', '1', 'a: 1 | b: 2 | 3']);
  });

  it('refuses a quoted value that is never closed', () => {
    expect(() => read('a,b\n1,"2\n3,4')).toThrow(expect.objectContaining({ code: 'EXTRACT.UNREADABLE' }));
  });
});
