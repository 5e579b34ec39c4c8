import { takeTurns } from './take-turns.js';

/** Something under way, whose end is the test's to say. */
class Work {
  hasBegun = false;
  end: (error?: Error) => void = () => undefined;

  readonly run = (): Promise<void> => {
    this.hasBegun = true;
    return new Promise((resolve, reject) => (this.end = (error) => (error ? reject(error) : resolve())));
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe('takeTurns', () => {
  const { signal } = new AbortController();

  it('begins no more than so many at a time, the next as one ends, however it ends', async () => {
    const takeTurn = takeTurns(2);
    const all = Array.from({ length: 4 }, () => new Work());
    const begun = (): boolean[] => all.map(({ hasBegun }) => hasBegun);
    const results = all.map(({ run }) => takeTurn(run, signal));
    await settled();
    expect(begun()).toEqual([true, true, false, false]);
    all[1]?.end(new Error('refused'));
    await expect(results[1]).rejects.toThrow('refused');
    await settled();
    expect(begun()).toEqual([true, true, true, false]);
    all[0]?.end();
    await settled();
    expect(begun()).toEqual([true, true, true, true]);
  });

  it('tells what is cancelled while it waits at once, and never begins it', async () => {
    const takeTurn = takeTurns(1);
    const [first, second] = [new Work(), new Work()];
    const holding = takeTurn(first.run, signal);
    const cancelled = new AbortController();
    const waiting = takeTurn(second.run, cancelled.signal);
    await settled();
    cancelled.abort();
    await expect(waiting).rejects.toBe(cancelled.signal.reason);
    first.end();
    await holding;
    await settled();
    expect(second.hasBegun).toBe(false);
  });
});
