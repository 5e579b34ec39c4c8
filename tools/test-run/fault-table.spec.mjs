import { formatTable, readPromises, summarise } from './fault-table.mjs';

const PROMISES = ['Nothing is lost', 'Redis down'];
const LEDGER = [
  { promise: 'Nothing is lost', what: 'items', tried: 1_500, lost: 0 },
  { promise: 'Nothing is lost', what: 'items', tried: 500, lost: 2 },
  { promise: 'Nothing is lost', what: 'requests', tried: 7, lost: null },
  { promise: 'Redis down', what: 'requests', tried: 0, lost: null },
];
const TESTS = [
  { promise: 'Nothing is lost', status: 'passed' },
  { promise: 'Nothing is lost', status: 'failed' },
  { promise: 'Redis down', status: 'passed' },
];

describe('the table of faults', () => {
  it('adds up what was tried and lost for each promise, in the order of the promises', () => {
    const { rows, untried, unknown } = summarise(PROMISES, LEDGER, TESTS);
    expect(rows).toEqual([
      {
        promise: 'Nothing is lost',
        passed: 1,
        failed: 1,
        counts: [
          ['items', 2_000],
          ['requests', 7],
        ],
        lost: 2,
      },
      { promise: 'Redis down', passed: 1, failed: 0, counts: [], lost: null },
    ]);
    expect([untried, unknown]).toEqual([[], []]);
    expect(formatTable(rows)).toEqual([
      'promise          tests               tried                    lost',
      'Nothing is lost  1 passed, 1 failed  2,000 items, 7 requests  2',
      'Redis down       1 passed            -                        – (asserted by the tests)',
    ]);
  });

  it('says 0 where losses were counted and there were none, and only there', () => {
    const line = { promise: 'Redis down', what: 'searches', tried: 3, lost: 0 };
    const lostOf = (ledger) => summarise(PROMISES, ledger, TESTS).rows.map(({ lost }) => lost);
    expect(lostOf([line])).toEqual([null, 0]);
    expect(lostOf([{ ...line, lost: null }])).toEqual([null, null]);
    const { rows } = summarise(['Untried'], [], []);
    expect(formatTable(rows)[1]).toMatch(/^Untried +0 passed +- +–$/);
  });

  it('names promises that no test stood for, and counts for what is not promised', () => {
    const tests = [
      { promise: 'Redis down', status: 'pending' },
      { promise: 'Redis up', status: 'passed' },
    ];
    const { untried, unknown } = summarise(PROMISES, LEDGER, tests);
    expect(untried.map(({ promise }) => promise)).toEqual(PROMISES);
    expect(unknown).toEqual(['Redis up']);
  });

  it('reads the promises from the document', () => {
    const markdown =
      'Text.\n\n| promise | tests |\n| --- | --- |\n| Redis down | `a` › b |\n| Audit   | `c` › d |\n\nMore.';
    expect(readPromises(markdown)).toEqual(['Redis down', 'Audit']);
  });
});
