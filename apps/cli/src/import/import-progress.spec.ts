import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ImportProgress } from './import-progress.js';

describe('ImportProgress', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  function show(isTTY: boolean, isWanted: boolean): string {
    // No timers: the bar draws when it is told to, and when it stops.
    jest.useFakeTimers({ now: 0 });
    const stream = Object.assign(new PassThrough(), {
      isTTY,
      columns: 120,
      cursorTo: () => true,
      clearLine: () => true,
      moveCursor: () => true,
    });
    const progress = new ImportProgress(stream, isWanted);
    progress.start('Indexing', 40);
    for (const value of [5, 10]) {
      jest.setSystemTime(value * 1_000);
      progress.update(value * 2, 40);
    }
    progress.stop();
    return stripVTControlCharacters(String((stream.read() as Buffer | null) ?? ''));
  }

  it('shows how far it is, how fast, and how long it will take', () => {
    const shown = show(true, true);
    expect(shown).toMatch(/Indexing .*20\/40 \| 2\.0\/s \| ETA 10s/);
  });

  it('writes nothing where nobody watches', () => {
    expect(show(false, true)).toBe('');
    expect(show(true, false)).toBe('');
  });
});
