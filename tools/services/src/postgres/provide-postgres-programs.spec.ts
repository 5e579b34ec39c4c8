import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { providePostgresPrograms } from './provide-postgres-programs.js';

describe('the programs of PostgreSQL', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'candor-programs-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function put(...names: string[]): Promise<void> {
    for (const name of names) {
      await writeFile(join(folder, name), '#!/bin/sh\n');
      await chmod(join(folder, name), 0o755);
    }
  }

  it('are those of a folder that has all of them', async () => {
    await put('initdb', 'postgres', 'psql', 'pg_dump', 'pg_restore');
    expect(await providePostgresPrograms({ env: { CANDOR_POSTGRES_PROGRAMS: folder } })).toBe(folder);
    expect(await providePostgresPrograms({ env: { PATH: `/nowhere:${folder}` } })).toBe(folder);
  });

  it('are refused where one is missing, by name', async () => {
    await put('initdb', 'postgres', 'psql');
    await expect(providePostgresPrograms({ env: { CANDOR_POSTGRES_PROGRAMS: folder } })).rejects.toThrow(
      'CANDOR_POSTGRES_PROGRAMS names a folder without pg_dump, pg_restore',
    );
  });
});
