import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { extractClaims } from './extract-claims.js';
import { findConflicts } from './find-conflicts.js';
import { datesDiffer, readDates } from './read-dates.js';
import { readQuantities } from './read-quantities.js';

const sourcesOf = (...texts: string[]) =>
  texts.map((text, index) => ({ chunkId: `c${index}`, documentId: `d${index}`, text }));
const conflictsOf = (...texts: string[]) =>
  findConflicts(sourcesOf(...texts)).map(({ kind, left, right }) => [kind, left.value, right.value]);

describe('findConflicts', () => {
  it.each([
    [
      'a number',
      'The public API rate limit is 100 requests per minute per API key.',
      'The public API rate limit is 120 requests per minute per API key. Ask for more.',
      ['conflicting_value', '100 requests', '120 requests'],
    ],
    [
      'a duration in other units',
      'Nightly backups are kept for 2 weeks.',
      'Nightly backups are kept for thirty days in the vault.',
      ['conflicting_value', '2 weeks', 'thirty days'],
    ],
    [
      'a price',
      'The Team plan costs €49 per month.',
      'The Team plan costs 59 euros per month and location.',
      ['conflicting_value', '€49', '59 euros'],
    ],
    [
      'a share',
      'The sickness rate in Leipzig was 4 percent.',
      'The sickness rate in Leipzig was 6 %.',
      ['conflicting_value', '4 percent', '6 %'],
    ],
    [
      'a date',
      'The waitlist launches on 15 September 2026 for all shops on the Team plan.',
      'Planning the autumn campaign. The waitlist launches on 6 October 2026, so the story has to be ready.',
      ['conflicting_date', '15 September 2026', '6 October 2026'],
    ],
    [
      'a date in another form',
      'The audit report is due on 2026-03-01.',
      'The audit report is due on March 2nd, 2026.',
      ['conflicting_date', '2026-03-01', 'March 2nd, 2026'],
    ],
    [
      'a state',
      'The travel request of Ada was approved.',
      'The travel request of Ada was rejected on Monday.',
      ['conflicting_status', 'approved', 'rejected'],
    ],
    [
      'a negated state',
      'A second signature is required for refunds.',
      'A second signature is not required for refunds.',
      ['conflicting_status', 'required', 'not required'],
    ],
    [
      'an attribute',
      'The brand color is coral.',
      'Our new brand color is teal.',
      ['conflicting_value', 'coral', 'teal'],
    ],
  ])('finds %s', (_what, left, right, expected) => {
    expect(conflictsOf(left, right)).toEqual([expected]);
    expect(findConflicts(sourcesOf(left, right))[0]?.confidence).toBeGreaterThan(0.5);
  });

  it.each([
    ['the same value in other units', 'Logs are deleted after 24 hours.', 'Logs are deleted after one day, or 1 day.'],
    ['another name', 'The Team plan costs 59 euros a month.', 'The Chain plan costs 45 euros a month.'],
    ['another dimension', 'The backup job runs for 2 hours.', 'The backup job runs on 3 servers.'],
    ['another subject', 'Nightly backups are kept for 30 days.', 'Customer invoices are kept for 10 years.'],
    ['a date that says less', 'The audit report is due on 1 March 2026.', 'The audit report is due in March 2026.'],
    [
      'a rejection and a missing approval',
      'Ada’s travel request was rejected.',
      'Ada’s travel request was not approved.',
    ],
    ['a question', 'Is the rate limit of the API 50 requests?', 'The rate limit of the API is 100 requests.'],
    [
      'a side that also says the other’s value',
      'Backups of files are kept 30 days. Backups of files were kept 14 days.',
      'Backups of files were kept 14 days.',
    ],
    ['an adjective', 'The main office is small.', 'The main office is bright.'],
    ['a number without unit', 'Room 12 is the meeting room.', 'Room 14 is the meeting room.'],
    ['a more exact attribute', 'The brand color is coral.', 'The brand color is coral (#ff7f50).'],
  ])('does not take for a conflict: %s', (_what, left, right) => {
    expect(conflictsOf(left, right)).toEqual([]);
  });

  it('finds what two passages say of each of several subjects, one conflict a subject', () => {
    const old = 'The Starter plan costs 19 euros. The Team plan costs 49 euros. The Chain plan costs 39 euros.';
    const current = 'The Starter plan costs 24 euros. The Team plan costs 59 euros. The Chain plan costs 49 euros.';
    expect(conflictsOf(old, current)).toEqual([
      ['conflicting_value', '19 euros', '24 euros'],
      ['conflicting_value', '49 euros', '59 euros'],
      ['conflicting_value', '39 euros', '49 euros'],
    ]);
    expect(conflictsOf('The Team plan costs 49 euros. The Team plan costs 47 euros.', current)).toHaveLength(1);
    expect(conflictsOf(current, 'The Team plan costs 49 euros. The Team plan costs 47 euros.')).toHaveLength(1);
  });

  it('finds the subjects of one pair of sentences', () => {
    expect(
      conflictsOf(
        'The Starter plan costs 19 euros, the Team plan costs 49 euros.',
        'The Starter plan costs 24 euros, the Team plan costs 59 euros.',
      ),
    ).toEqual([
      ['conflicting_value', '19 euros', '24 euros'],
      ['conflicting_value', '49 euros', '59 euros'],
    ]);
    const inOne = 'The Team plan costs 49 euros, the old Team plan costs 39 euros.';
    expect(conflictsOf(inOne, 'The Team plan costs 59 euros, the old Team plan costs 69 euros.')).toHaveLength(1);
  });

  it('lets the most confident one speak for a subject', () => {
    const left = 'The price of the Team plan is 49 euros.';
    const right = 'The old price of the Team plan is 45 euros. The price of the Team plan is 59 euros.';
    expect(conflictsOf(left, right)).toEqual([['conflicting_value', '49 euros', '59 euros']]);
    expect(conflictsOf(right, left)).toEqual([['conflicting_value', '59 euros', '49 euros']]);
  });

  it('shows one conflict of each pair of passages before the second of any', () => {
    const priced = (from: number): string =>
      Array.from({ length: 30 }, (_, index) => `The plan of Shop${index} costs ${from + index} euros.`).join('\n');
    const found = findConflicts(
      sourcesOf(priced(100), priced(500), 'The audit is due on 1 May 2026.', 'The audit is due on 2 May 2026.'),
    );
    expect(found).toHaveLength(20);
    expect(found.slice(0, 3).map(({ kind, left }) => [kind, left.value])).toEqual([
      ['conflicting_value', '100 euros'],
      ['conflicting_date', '1 May 2026'],
      ['conflicting_value', '101 euros'],
    ]);
  });

  it('compares documents with each other, not a document with itself', () => {
    const [left, right] = sourcesOf(
      'The rate limit of the API is 100 requests.',
      'The rate limit of the API is 50 requests.',
    );
    expect(findConflicts([left!, right!])).toHaveLength(1);
    expect(findConflicts([left!, { ...right!, documentId: left!.documentId }])).toEqual([]);
  });

  it('quotes the sentences as they stand, without list marks and message headers', () => {
    const [conflict] = findConflicts(
      sourcesOf(
        '- **Team**: The Team plan costs 49 euros a month.',
        'Ada Lov (2026-07-21 10:05): The Team plan costs 59 euros a month. Really.',
      ),
    );
    expect(conflict?.left.quotation).toBe('**Team**: The Team plan costs 49 euros a month.');
    expect(conflict?.right.quotation).toBe('The Team plan costs 59 euros a month.');
  });

  it('has a bounded amount of work on whatever it gets', () => {
    const noise = Array.from({ length: 3000 }, (_, index) => `The limit of the service is ${index} requests.`).join(
      '\n',
    );
    expect(extractClaims({ chunkId: 'c', documentId: 'd', text: noise })).toHaveLength(100);
    expect(findConflicts(sourcesOf(...Array.from({ length: 50 }, () => noise))).length).toBeLessThanOrEqual(20);
    expect(conflictsOf('('.repeat(5000), 'a '.repeat(20_000), '1'.repeat(5000))).toEqual([]);
  });
});

describe('the demo workspace', () => {
  it('holds exactly these conflicts, two of them unsettled', async () => {
    const documents = await Promise.all(
      ['notion', 'slack', 'google-drive', 'gmail'].map(async (name) => {
        const file = new URL(`../../../../apps/standalone/demo/${name}.json`, import.meta.url);
        return JSON.parse(await readFile(file, 'utf8')) as { externalId: string; body: string }[];
      }),
    );
    const sources = documents.flat().map(({ externalId, body }) => ({
      chunkId: externalId,
      documentId: externalId,
      text: body,
    }));
    expect(sources.length).toBeGreaterThan(60);
    const pairs = new Map<string, string[][]>();
    for (const { left, right } of findConflicts(sources)) {
      const pair = `${left.documentId} ${right.documentId}`;
      pairs.set(pair, [...(pairs.get(pair) ?? []), [left.value, right.value]]);
    }
    expect(Object.fromEntries(pairs)).toEqual({
      'page:pricing-2025 page:pricing-2026': [
        ['19 euros', '24 euros'],
        ['49 euros', '59 euros'],
        ['39 euros', '45 euros'],
        ['25 percent', '30 percent'],
      ],
      'page:travel-expenses-2026 page:travel-expenses-2027': [
        ['28 euros', '30 euros'],
        ['110 euros', '125 euros'],
      ],
      'page:api-limits thread:northbrae-api-questions': [['100 requests', '120 requests']],
      'page:roadmap-2026-h2 C_MARKETING:1784628300.000100': [['15 September 2026', '6 October 2026']],
      'file:backup-runbook-v1 file:backup-runbook-v2': [
        ['14 days', '35 days'],
        ['four weeks', '35 days'],
      ],
    });
  });
});

describe('readDates', () => {
  it.each([
    ['2026-09-15', '2026-09-15'],
    ['15 September 2026', '2026-09-15'],
    ['the 15th of Sept. 2026', '2026-09-15'],
    ['Sep 15, 2026', '2026-09-15'],
    ['September 2026', '2026-09-??'],
    ['3 May', '????-05-03'],
  ])('%s is %s', (text, normalized) => {
    expect(readDates(`on ${text} we`).map((value) => value.normalized)).toEqual([normalized]);
  });

  it('lets what one side leaves open agree with anything', () => {
    expect(datesDiffer('2026-09-??', '2026-09-15')).toBe(false);
    expect(datesDiffer('????-09-15', '2026-09-15')).toBe(false);
    expect(datesDiffer('????-09-15', '2026-09-16')).toBe(true);
  });
});

describe('readQuantities', () => {
  it.each([
    ['1,200.5 USD', 'money:USD', '1200.5'],
    ['$3 million', 'money:USD', '3000000'],
    ['two weeks', 'seconds', '1209600'],
    ['a 30-day trial', 'seconds', '2592000'],
    ['2 years', 'months', '24'],
    ['12%', 'percent', '12'],
  ])('%s is %s %s', (text, dimension, normalized) => {
    expect(readQuantities(`for ${text}`)).toMatchObject([{ dimension, normalized }]);
  });

  it.each(['version 1.2.3', '10:30', 'in 2026 and', 'IPv4', 'a-7', '5 of them'])('sees no quantity in %s', (text) => {
    expect(readQuantities(text)).toEqual([]);
  });
});
