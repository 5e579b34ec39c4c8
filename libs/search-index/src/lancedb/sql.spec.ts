import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { connect, type Table } from '@lancedb/lancedb';
import { Field, List, Schema, Utf8 } from 'apache-arrow';
import fc from 'fast-check';
import { HOSTILE_STRINGS } from '../conformance/chunk-builder.js';
import { sqlColumn, sqlHasAny, sqlIn, sqlNumber, sqlString } from './sql.js';

jest.setTimeout(60_000);

describe('SQL text', () => {
  it('doubles quotes and leaves the rest as it is', () => {
    expect(sqlString("it's \\' \" ` \u0000 -- ;")).toBe("'it''s \\'' \" ` \u0000 -- ;'");
  });
  it('writes nothing but finite numbers', () => {
    expect(sqlNumber(-1.5)).toBe('-1.5');
    expect(() => sqlNumber(Number.NaN)).toThrow(RangeError);
    expect(() => sqlNumber(Number.POSITIVE_INFINITY)).toThrow(RangeError);
  });
  it('takes only plain column names', () => {
    expect(sqlColumn('itemId')).toBe('`itemId`');
    expect(() => sqlColumn('a` OR true --')).toThrow(RangeError);
  });
  it('matches nothing for an empty list', () => {
    expect(sqlIn('itemId', [])).toBe('false');
    expect(sqlHasAny('grants', [])).toBe('false');
  });
});

describe('SQL text in LanceDB', () => {
  let directory = '';
  let table: Table;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'candor-sql-'));
    const connection = await connect(directory);
    const list = new List(new Field('item', new Utf8(), true));
    const schema = new Schema([new Field('itemId', new Utf8(), false), new Field('grants', list, false)]);
    table = await connection.createEmptyTable('live', schema);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  async function matches(where: string): Promise<string[]> {
    const rows = (await table.query().where(where).select(['itemId']).toArray()) as { itemId: string }[];
    return rows.map((row) => row.itemId).sort();
  }

  it('finds each hostile value, alone, and changes nothing', async () => {
    await table.add(HOSTILE_STRINGS.map((value) => ({ itemId: value, grants: [value, 'other'] })));
    for (const value of HOSTILE_STRINGS) {
      expect(await matches(sqlIn('itemId', [value]))).toEqual([value]);
      expect(await matches(sqlHasAny('grants', [value]))).toEqual([value]);
      expect(await matches(`NOT (${sqlIn('itemId', [value])})`)).toHaveLength(HOSTILE_STRINGS.length - 1);
    }
    expect(await table.countRows()).toBe(HOSTILE_STRINGS.length);
  });

  it('for any string at all: found exactly when it is there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.constantFrom(...HOSTILE_STRINGS), async (random, hostile) => {
        const value = random + hostile;
        const expected = HOSTILE_STRINGS.includes(value) ? [value] : [];
        expect(await matches(sqlIn('itemId', [value]))).toEqual(expected);
        expect(await matches(sqlHasAny('grants', [value]))).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});
