import { describe, expect, it } from '@jest/globals';
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
