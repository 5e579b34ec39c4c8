import { describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { Coalescer, type CoalescerOptions } from './coalescer.js';

function recording(options: Partial<CoalescerOptions<string, string>> = {}): {
  coalescer: Coalescer<string, string>;
  batches: string[][];
} {
  const batches: string[][] = [];
  const coalescer = new Coalescer<string, string>({
    maxInputs: 10,
    run: async (inputs) => {
      batches.push([...inputs]);
      await new Promise((resolve) => setImmediate(resolve));
      if (inputs.includes('bad')) throw new Error('bad input');
      if (inputs.includes('refused')) throw new AppError('DEPENDENCY.EMBEDDINGS_UNAVAILABLE', { retryable: false });
      if (inputs.includes('down')) throw new AppError('DEPENDENCY.INDEX_UNAVAILABLE');
      return inputs.map((input) => input.toUpperCase());
    },
    ...options,
  });
  return { coalescer, batches };
}

describe('Coalescer', () => {
  it('gathers what comes while a batch runs, and answers each call with its own', async () => {
    const { coalescer, batches } = recording();
    const first = coalescer.call('a');
    await new Promise((resolve) => setImmediate(resolve));
    const rest = ['b', 'c'].map((input) => coalescer.call(input));
    expect(await Promise.all([first, ...rest])).toEqual(['A', 'B', 'C']);
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  it('bounds a batch by count and by weight; what is too large goes alone', async () => {
    const { coalescer, batches } = recording({ maxInputs: 2, maxWeight: 5, weigh: (input) => input.length });
    await Promise.all(['aa', 'bb', 'c', 'ddddddd', 'eeee', 'ff'].map((input) => coalescer.call(input)));
    expect(batches).toEqual([['aa', 'bb'], ['c'], ['ddddddd'], ['eeee'], ['ff']]);
  });

  it('runs as many batches at once as it may, and no call is left behind', async () => {
    let running = 0;
    let most = 0;
    const coalescer = new Coalescer<number, number>({
      maxInputs: 2,
      concurrency: 2,
      run: async (inputs) => {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, 2));
        running -= 1;
        return inputs;
      },
    });
    const numbers = Array.from({ length: 9 }, (_value, index) => index);
    expect(await Promise.all(numbers.map((number) => coalescer.call(number)))).toEqual(numbers);
    expect(most).toBe(2);
    await coalescer.settled();
    // The moment between the last batch and the end of its drain.
    for (const number of numbers) expect(await coalescer.call(number)).toBe(number);
  });

  it('takes one of each group in turn, each group in its own order', async () => {
    const { coalescer, batches } = recording({ maxInputs: 3, groupOf: (input) => input.charAt(0) });
    const inputs = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'];
    expect(await Promise.all(inputs.map((input) => coalescer.call(input)))).toEqual(
      inputs.map((input) => input.toUpperCase()),
    );
    expect(batches).toEqual([['a1', 'b1', 'c1'], ['a2', 'b2', 'a3'], ['a4']]);
  });

  it.each(['bad', 'refused'])('repeats a batch that failed for one %s input call by call', async (bad) => {
    const { coalescer, batches } = recording();
    const results = await Promise.allSettled(['a', bad, 'c'].map((input) => coalescer.call(input)));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(batches).toEqual([['a', bad, 'c'], ['a'], [bad], ['c']]);
  });

  it('fails all at once while a dependency is down, and works again afterwards', async () => {
    const { coalescer, batches } = recording();
    const results = await Promise.allSettled(['a', 'down'].map((input) => coalescer.call(input)));
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
    expect(batches).toEqual([['a', 'down']]);
    await expect(coalescer.call('b')).resolves.toBe('B');
  });

  it('takes an answer that does not fit the calls for a failure', async () => {
    const coalescer = new Coalescer<string, string>({ maxInputs: 10, run: async () => ['only one'] });
    const results = await Promise.allSettled(['a', 'b'].map((input) => coalescer.call(input)));
    expect(results).toEqual([
      { status: 'fulfilled', value: 'only one' },
      { status: 'fulfilled', value: 'only one' },
    ]);
  });

  describe('a caller that goes away', () => {
    /** Batches that end when they are released or given up. */
    function held(): {
      coalescer: Coalescer<string, string>;
      batches: { inputs: readonly string[]; signal: AbortSignal; release: () => void }[];
      turn: () => Promise<void>;
    } {
      const batches: ReturnType<typeof held>['batches'] = [];
      const coalescer = new Coalescer<string, string>({
        maxInputs: 10,
        run: (inputs, signal) =>
          new Promise((resolve, reject) => {
            batches.push({ inputs, signal, release: () => resolve(inputs) });
            signal.addEventListener('abort', () => reject(new Error('given up')));
          }),
      });
      return { coalescer, batches, turn: () => new Promise((resolve) => setImmediate(resolve)) };
    }

    it('is let go at once, and the others get their answers', async () => {
      const { coalescer, batches, turn } = held();
      const abort = new AbortController();
      const gone = coalescer.call('a', abort.signal);
      const staying = [coalescer.call('b', new AbortController().signal), coalescer.call('c')];
      await turn();
      abort.abort();
      await expect(gone).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
      expect(batches[0]?.signal.aborted).toBe(false);
      batches[0]?.release();
      expect(await Promise.all(staying)).toEqual(['b', 'c']);
    });

    it('ends the batch when it was the last one, and nothing is repeated', async () => {
      const { coalescer, batches, turn } = held();
      const aborts = [new AbortController(), new AbortController()];
      const calls = Promise.allSettled(aborts.map(({ signal }, index) => coalescer.call(`call ${index}`, signal)));
      await turn();
      for (const abort of aborts) abort.abort();
      expect(batches[0]?.signal.aborted).toBe(true);
      for (const outcome of await calls) expect(outcome).toMatchObject({ reason: { code: 'REQUEST.CANCELLED' } });
      await coalescer.settled();
      expect(batches).toHaveLength(1);
    });

    it('takes its place in the line with it', async () => {
      const { coalescer, batches, turn } = held();
      const first = coalescer.call('first');
      await turn();
      const abort = new AbortController();
      const gone = coalescer.call('gone', abort.signal);
      const last = coalescer.call('last');
      abort.abort();
      await expect(gone).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
      batches[0]?.release();
      await first;
      await turn();
      expect(batches[1]?.inputs).toEqual(['last']);
      batches[1]?.release();
      await last;
      await expect(coalescer.call('late', AbortSignal.abort())).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
      expect(batches).toHaveLength(2);
    });
  });
});
