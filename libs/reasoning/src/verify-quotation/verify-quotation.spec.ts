import { describe, expect, it } from '@jest/globals';
import { normalizeWhitespace } from '../validate-citations.js';
import { CollapsedText } from './collapsed-text.js';
import { QuotationSource, verifyQuotation } from './quotation-source.js';

const SOURCE =
  'Minutes.  The API rate limit is\n 600 requests – per minute.\n“We don’t change it,” said Ana Café. ' +
  'Costs rose to 10² units, and the limit for guests stays at 60 requests per minute until further notice.';

function find(quotation: string, source = SOURCE): [status: string, quotation: string] | null {
  const found = verifyQuotation(quotation, source);
  if (!found) return null;
  expect(source.slice(found.start, found.end)).toBe(found.quotation);
  return [found.status, found.quotation];
}

describe('verifyQuotation', () => {
  it.each([
    ['as it stands', 'Ana Café', 'Ana Café'],
    ['other runs of whitespace', ' The API rate  limit is 600\nrequests ', 'The API rate limit is\n 600 requests'],
    ['within a word, as the rule for answers has it', 'inutes', 'inutes'],
  ])('verifies what occurs: %s', (_, quotation, exact) => {
    expect(find(quotation)).toEqual(['verified', exact]);
  });

  it('verifies what was copied in its escaped form', () => {
    expect(find('a &lt; b &amp; c', 'if a < b & c')).toEqual(['verified', 'a < b & c']);
  });

  it.each([
    ['case', 'the api RATE limit', 'The API rate limit'],
    ['typographic quotes', `"We don't change it," said`, '“We don’t change it,” said'],
    ['dashes', '600 requests - per minute', '600 requests – per minute'],
    ['marks around it', '"Ana Café"!', 'Ana Café'],
    [
      'a full stop that the source lacks there',
      'The API rate limit is 600 requests.',
      'The API rate limit is\n 600 requests',
    ],
    ['an accent written otherwise', 'Ana Cafe\u0301', 'Ana Café'],
    ['an ellipsis', 'The API rate limit … per minute', 'The API rate limit is\n 600 requests – per minute'],
    [
      'an ellipsis in brackets',
      'The API rate limit [...] per minute.',
      'The API rate limit is\n 600 requests – per minute',
    ],
    ['ellipses at its ends', '…the limit for guests stays…', 'the limit for guests stays'],
  ])('repairs %s, and returns the exact words', (_, quotation, exact) => {
    expect(find(quotation)).toEqual(['repaired', exact]);
  });

  it('repairs ligatures and invisible characters of a PDF', () => {
    expect(find('The final office', 'The \ufb01nal of\u00adfice')).toEqual(['repaired', 'The \ufb01nal of\u00adfice']);
  });

  it.each([
    ['nothing', ''],
    ['whitespace', ' \n\t'],
    ['marks alone', '“…”'],
    ['other words', 'The API rate limit is 700 requests'],
    ['a word that is missing', 'The API limit is 600 requests'],
    ['a folded piece of a word', 'MINUTE. “We don’t chang'],
    ['a letter without its accent', 'Ana Cafe'],
    ['a power read as a digit', '10² units'.replace('²', '2')],
    ['pieces in another order', 'per minute ... The API rate limit'],
    ['pieces too short to come from one place', 'is ... at'],
  ])('rejects %s', (_, quotation) => {
    expect(find(quotation)).toBeNull();
  });

  it('joins no pieces that are far apart', () => {
    const source = `The limit was raised. ${'Other matters. '.repeat(60)}It was lowered again.`;
    expect(find('The limit was raised ... It was lowered again', source)).toBeNull();
  });

  it('takes a later first piece when the first one leads nowhere', () => {
    const source = `The limit is set. ${'Other matters. '.repeat(60)}The limit is set, then it is kept.`;
    expect(find('The limit is set … it is kept.', source)).toEqual(['repaired', 'The limit is set, then it is kept']);
  });

  it('offsets count UTF-16 units, beyond the basic plane too', () => {
    const source = '😀😀 İstanbul 😀 NOTE';
    expect(verifyQuotation('note', source)).toEqual({ status: 'repaired', start: 17, end: 21, quotation: 'NOTE' });
  });

  it('repairs nothing in very long texts, and still verifies there', () => {
    const source = new QuotationSource(`${'word '.repeat(100_001)}The END`);
    expect(source.find('The END')).toMatchObject({ status: 'verified', start: 500_005 });
    expect(source.find('the end')).toBeNull();
  });
});

describe('a large text', () => {
  const word = (index: number): string => `w${index.toString(36)}`;
  /** Runs of whitespace everywhere, some of them across the bounds of what is read at a time. */
  const large = `  ${Array.from({ length: 150_000 }, (_, index) => `${word(index)}${' \n'.repeat(1 + (index % 4))}`).join('')}`;
  const bound = `${'x'.repeat(499_990)}${' '.repeat(30)}y${' '.repeat(500_000)}z `;

  it.each([
    ['much of it', large],
    ['a run across the bound', bound],
    ['nothing but whitespace', ' '.repeat(1_200_000)],
    ['nothing', ''],
  ])('is collapsed part by part as it is at once: %s', (_what, text) => {
    expect(new CollapsedText(text).text).toBe(normalizeWhitespace(text));
  });

  it('knows where each piece of it stands', () => {
    const source = new QuotationSource(large);
    for (const index of [0, 1, 70_000, 149_000]) {
      const found = source.find(`${word(index)} ${word(index + 1)}`);
      const start = large.search(new RegExp(`(?<![a-z0-9])${word(index)}(?![a-z0-9])`));
      expect(found).toMatchObject({ status: 'verified', start });
      expect(normalizeWhitespace(found?.quotation ?? '')).toBe(`${word(index)} ${word(index + 1)}`);
    }
    expect(verifyQuotation('y z', bound)).toMatchObject({ start: 500_020, end: 1_000_022 });
  });

  it('is read with a pause after each part, and then in one go', async () => {
    const source = new QuotationSource(large);
    let pauses = 0;
    await source.prepare(async () => void (pauses += 1));
    expect(pauses).toBe(Math.ceil(large.length / 500_000));
    await source.prepare(async () => void (pauses += 1));
    expect(pauses).toBe(Math.ceil(large.length / 500_000));
  });
});

describe('hostile quotations', () => {
  it('give up after so many places within other words', () => {
    expect(find('AAAAAAAA', `${'a'.repeat(9_000)} aaaaaaaa`)).toEqual(['repaired', 'aaaaaaaa']);
    expect(find('AAAAAAAA', `${'a'.repeat(11_000)} aaaaaaaa`)).toBeNull();
  });

  it('leave out no more than anybody does', () => {
    const pieces = Array.from({ length: 11 }, (_, index) => `piece number ${String.fromCharCode(97 + index)}`);
    const source = pieces.join(' and then ');
    expect(find(pieces.slice(0, 10).join(' ... '), source)?.[0]).toBe('repaired');
    expect(find(pieces.join(' ... '), source)).toBeNull();
  });

  it('look from so many places for what follows', () => {
    const repeated = (times: number) => `${'Abcdefgh '.repeat(times)}${'- '.repeat(100)}the very end`;
    expect(find('abcdefgh ... THE VERY END', repeated(900))?.[0]).toBe('repaired');
    expect(find('abcdefgh ... THE VERY END', repeated(1_100))).toBeNull();
  });
});
