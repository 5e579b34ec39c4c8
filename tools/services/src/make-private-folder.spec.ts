import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePrivateFolder } from './make-private-folder.js';

const PASSABLE = process.getuid?.() === 0 ? 0o711 : 0o700;

describe('makePrivateFolder', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'candor-private-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

  async function makeWithMode(mode: number): Promise<string> {
    const path = join(root, mode.toString(8));
    await mkdir(path);
    await chmod(path, mode);
    return path;
  }

  it('closes what it makes to other users, and leaves what is above to the system', async () => {
    await makePrivateFolder(join(root, 'above', 'own'));
    expect(await modeOf(join(root, 'above', 'own'))).toBe(0o700);
    await mkdir(join(root, 'usual'));
    expect(await modeOf(join(root, 'above'))).toBe(await modeOf(join(root, 'usual')));
    await makePrivateFolder(join(root, 'way'), { holdsPostgres: true });
    expect(await modeOf(join(root, 'way'))).toBe(PASSABLE);
  });

  it('tightens what is there, and never opens it', async () => {
    const open = await makeWithMode(0o755);
    await makePrivateFolder(open, { holdsPostgres: true });
    expect(await modeOf(open)).toBe(PASSABLE);
    await makePrivateFolder(open);
    expect(await modeOf(open)).toBe(0o700);
    await makePrivateFolder(open, { holdsPostgres: true });
    expect(await modeOf(open)).toBe(0o700);
  });

  it('leaves a folder alone that somebody else chose', async () => {
    const chosen = await makeWithMode(0o750);
    await makePrivateFolder(chosen, { keepMode: true });
    expect(await modeOf(chosen)).toBe(0o750);
  });

  it('refuses a file', async () => {
    const file = join(root, 'file');
    await writeFile(file, '', { mode: 0o644 });
    await expect(makePrivateFolder(file)).rejects.toThrow('EEXIST');
    expect(await modeOf(file)).toBe(0o644);
  });
});
