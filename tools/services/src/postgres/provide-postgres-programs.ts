import { access, constants, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { installWithApt } from '../apt/install-with-apt.js';
import type { OnProgress } from '../running-service.js';
import { ServiceStartError } from '../service-start.error.js';

/** A server and what backs it up; of one version, as an older `pg_dump` refuses a newer server. */
const PROGRAMS = ['initdb', 'postgres', 'psql', 'pg_dump', 'pg_restore'];
/** Where Debian keeps them, a folder a version. */
const DEBIAN = '/usr/lib/postgresql';
const HINT =
  'install PostgreSQL 15 or newer with its client programs, or set CANDOR_POSTGRES_PROGRAMS to the folder of pg_dump';

export interface ProvidePostgresProgramsOptions {
  /** Names the folder; default `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  readonly onProgress?: OnProgress;
}

/**
 * The folder of a whole PostgreSQL, as operators have it: the npm package that we start has no `pg_dump`. The one in
 * CANDOR_POSTGRES_PROGRAMS, else one on PATH, else Debian's, which is installed where apt-get can.
 *
 * @throws ServiceStartError saying what is in the way.
 */
export async function providePostgresPrograms({
  env = process.env,
  onProgress = () => undefined,
}: ProvidePostgresProgramsOptions = {}): Promise<string> {
  const given = env['CANDOR_POSTGRES_PROGRAMS'];
  if (given !== undefined && given !== '') {
    const missing = await listMissing(given);
    if (missing.length === 0) return given;
    throw new ServiceStartError(`CANDOR_POSTGRES_PROGRAMS names a folder without ${missing.join(', ')}`);
  }
  const present = await findFolder(env);
  if (present !== undefined) return present;
  await installWithApt('postgresql', HINT, onProgress);
  const installed = await findFolder(env);
  if (installed === undefined) throw new ServiceStartError(`postgresql was installed, but it is incomplete: ${HINT}`);
  return installed;
}

async function findFolder(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const versions = await readdir(DEBIAN).catch(() => []);
  const newestFirst = versions.sort((left, right) => Number(right) - Number(left));
  const folders = [
    ...(env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    ...newestFirst.map((version) => join(DEBIAN, version, 'bin')),
  ];
  for (const folder of folders) if ((await listMissing(folder)).length === 0) return folder;
  return undefined;
}

async function listMissing(folder: string): Promise<string[]> {
  const missing: string[] = [];
  for (const program of PROGRAMS) {
    try {
      await access(join(folder, program), constants.X_OK);
    } catch {
      missing.push(program);
    }
  }
  return missing;
}
