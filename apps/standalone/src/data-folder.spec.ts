import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDataFolder } from './data-folder.js';

describe('openDataFolder', () => {
  const closed = process.getuid?.() === 0 ? 0o711 : 0o700;
  const start = process.cwd();
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'candor-data-'));
    process.chdir(root);
  });
  afterEach(async () => {
    process.chdir(start);
    await rm(root, { recursive: true, force: true });
  });
  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

  it('is closed to other users, also one that a release before left open', async () => {
    expect(await modeOf(await openDataFolder('.candor'))).toBe(closed);
    await chmod('.candor', 0o755);
    expect(await modeOf(await openDataFolder('.candor'))).toBe(closed);
    expect(await modeOf(await openDataFolder(join(root, 'chosen', 'data')))).toBe(closed);
  });

  it('keeps the mode of a folder that somebody chose and made', async () => {
    await chmod(root, 0o755);
    expect(await openDataFolder(root)).toBe(root);
    expect(await modeOf(root)).toBe(0o755);
  });
});
