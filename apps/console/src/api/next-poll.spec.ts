import { afterPoll, nextPoll, type PollState } from './next-poll.js';

const START: PollState = { unchanged: 0, failures: 0 };
const after = (...outcomes: Parameters<typeof afterPoll>[1][]): PollState => outcomes.reduce(afterPoll, START);

describe('nextPoll', () => {
  it('asks each second while something moves', () => {
    expect(nextPoll(true, START)).toBe(1_000);
    expect(nextPoll(true, after('unchanged', 'unchanged', 'changed'))).toBe(1_000);
  });

  it('backs off while nothing does, up to half a minute', () => {
    const pauses = [1, 2, 3, 50].map((count) => nextPoll(true, { unchanged: count, failures: 0 }));
    expect(pauses).toEqual([1_500, 2_250, 3_375, 30_000]);
  });

  it('doubles after failures, and goes on although nothing is known', () => {
    expect(nextPoll(false, after('failed'))).toBe(2_000);
    expect(nextPoll(true, after('failed', 'failed', 'failed'))).toBe(8_000);
    expect(nextPoll(true, { unchanged: 0, failures: 99 })).toBe(30_000);
    expect(nextPoll(true, after('failed', 'failed', 'changed'))).toBe(1_000);
  });

  it('ends when it is over', () => expect(nextPoll(false, after('unchanged'))).toBe(false));
});
