import { describe, expect, it } from '@jest/globals';
import { findJsonExcess } from './find-json-excess.js';

const TOO_DEEP = { field: 'body', rule: 'must not be nested deeper than 100 levels' };
const TOO_MANY = { field: 'body', rule: 'must not hold more than 500000 values' };
const find = (json: string) => findJsonExcess(Buffer.from(json));
const nest = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels);

describe('what costs more than its bytes', () => {
  it.each([
    ['nothing', ''],
    ['a plain body', '{"query":"x","limit":5}'],
    ['100 levels', nest(100)],
    ['100 levels of objects', `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`],
    ['many lists beside each other', `[${'[[]],'.repeat(1_000)}[]]`],
    ['brackets in a string', JSON.stringify({ query: nest(1_000) })],
    ['commas in a string', JSON.stringify({ query: ','.repeat(600_000) })],
    ['brackets behind an escaped quotation mark', JSON.stringify({ query: `"${nest(200)}` })],
    ['brackets behind escaped backslashes and a quotation mark', JSON.stringify({ query: `\\\\"${nest(200)}` })],
    ['a string without an end', `"${'['.repeat(200)}`],
    ['closing brackets alone', ']'.repeat(1_000)],
    ['half a million values', `[${'1,'.repeat(499_998)}1]`],
  ])('is not found in %s', (_, json) => {
    expect(find(json)).toBeUndefined();
  });

  it.each([
    ['101 levels', nest(101), TOO_DEEP],
    ['101 levels of objects', `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`, TOO_DEEP],
    ['levels that never end', '['.repeat(101), TOO_DEEP],
    ['levels behind a string that ends in a backslash', `["\\\\",${nest(100)}]`, TOO_DEEP],
    ['more numbers than that', `[${'1,'.repeat(500_000)}1]`, TOO_MANY],
    ['more empty lists than that', `[${'[],'.repeat(250_000)}[]]`, TOO_MANY],
  ])('is found in %s', (_, json, excess) => {
    expect(find(json)).toEqual(excess);
  });
});
