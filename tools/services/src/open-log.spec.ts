import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, closeSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog } from './open-log.js';

describe('openLog', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'candor-log-'));
    path = join(folder, 'candor.log');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  function write(line: string): void {
    const log = openLog(path);
    writeSync(log, line);
    closeSync(log);
  }

  it('appends, and keeps other users from reading', () => {
    writeFileSync(path, 'before\n');
    chmodSync(path, 0o644);
    write('after\n');
    expect(readFileSync(path, 'utf8')).toBe('before\nafter\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('begins a large one anew, and keeps the one before', async () => {
    for (const round of ['first', 'second']) {
      write(`${round}\n`);
      await truncate(path, 10_000_001);
    }
    write('third\n');
    expect(readFileSync(path, 'utf8')).toBe('third\n');
    expect(readFileSync(`${path}.1`, 'utf8')).toMatch(/^second\n/);
    expect((await readdir(folder)).sort()).toEqual(['candor.log', 'candor.log.1']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
