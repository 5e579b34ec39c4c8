import { describe, expect, it } from '@jest/globals';
import { LiteralScans } from './literal-scans.js';

const never = new AbortController().signal;

/** Scans that end when they are told to. */
function heldScans(): {
  scans: LiteralScans;
  started: string[];
  start: (name: string, signal?: AbortSignal) => Promise<string>;
  end: (name: string) => void;
} {
  const scans = new LiteralScans();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, signal = never): Promise<string> =>
    scans.run(() => {
      started.push(name);
      return new Promise((resolve) => ends.set(name, () => resolve(name)));
    }, signal);
  return { scans, started, start, end: (name) => ends.get(name)?.() };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const named = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('LiteralScans', () => {
  it('runs a few at a time, the others in the order in which they came', async () => {
    const { started, start, end } = heldScans();
    const calls = named(6, 's').map((name) => start(name));
    await turn();
    expect(started).toEqual(named(4, 's'));
    end('s1');
    await expect(calls[1]).resolves.toBe('s1');
    await turn();
    expect(started).toEqual(named(5, 's'));
    for (const name of ['s0', 's2', 's3', 's4']) end(name);
    await turn();
    end('s5');
    expect(await Promise.all(calls)).toEqual(named(6, 's'));
  });

  it('refuses when the line is full, and says when to come back', async () => {
    const { start, end } = heldScans();
    const running = named(4, 'r').map((name) => start(name));
    const waiting = named(24, 'w').map((name) => start(name));
    await expect(start('one more')).rejects.toMatchObject({ code: 'RETRIEVAL.BUSY', retryAfterSeconds: 2 });
    end('r0');
    await running[0];
    const next = start('now');
    for (let round = 0; round < 10; round += 1) {
      for (const name of [...named(4, 'r'), ...named(24, 'w'), 'now']) end(name);
      await turn();
    }
    await expect(Promise.all([...running, ...waiting, next])).resolves.toHaveLength(29);
  });

  it('lets go of who leaves the line, and never starts its scan', async () => {
    const { started, start, end } = heldScans();
    const running = named(4, 'r').map((name) => start(name));
    const controller = new AbortController();
    const gone = Promise.allSettled(named(24, 'gone').map((name) => start(name, controller.signal)));
    await expect(start('too many')).rejects.toMatchObject({ code: 'RETRIEVAL.BUSY' });
    controller.abort();
    for (const outcome of await gone) expect(outcome).toMatchObject({ reason: { code: 'REQUEST.CANCELLED' } });
    const last = start('last');
    for (const name of named(4, 'r')) end(name);
    await Promise.all(running);
    await turn();
    end('last');
    await last;
    expect(started).toEqual([...named(4, 'r'), 'last']);
  });

  it('keeps the place of a scan whose caller has gone until the scan has ended', async () => {
    const { started, start, end } = heldScans();
    const controller = new AbortController();
    const gone = Promise.allSettled(named(4, 'gone').map((name) => start(name, controller.signal)));
    await turn();
    controller.abort();
    for (const outcome of await gone) expect(outcome).toMatchObject({ reason: { code: 'REQUEST.CANCELLED' } });
    const next = start('next');
    await turn();
    expect(started).toEqual(named(4, 'gone'));
    end('gone0');
    await turn();
    await turn();
    end('next');
    await expect(next).resolves.toBe('next');
  });

  it('passes a failure on, and goes on', async () => {
    const { scans } = heldScans();
    await expect(scans.run(() => Promise.reject(new Error('failed')), never)).rejects.toThrow('failed');
    await expect(scans.run(async () => 'works', never)).resolves.toBe('works');
  });
});
