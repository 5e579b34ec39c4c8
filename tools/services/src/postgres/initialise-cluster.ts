import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readErrorCode, readErrorMessage } from '../read-error.js';
import type { OnProgress } from '../running-service.js';
import { ServiceStartError } from '../service-start.error.js';
import type { Account } from '../supervise-process.js';

const run = promisify(execFile);
const PASSWORD_FILE = 'postgres-password';

/** What the server's programs see of our environment: nothing that could change their behaviour or hold a secret. */
export const SERVER_ENVIRONMENT: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export interface InitialiseOptions {
  /** Holds the password file. */
  readonly dataDir: string;
  /** Holds `data`. */
  readonly location: string;
  readonly binaries: string;
  readonly account: Account | undefined;
  readonly onProgress: OnProgress;
}

/**
 * Makes the database cluster in `location/data` unless it exists. It appears by a rename, so an interrupted run leaves none.
 *
 * @returns the superuser's password.
 */
export async function initialiseCluster(options: InitialiseOptions): Promise<string> {
  const { dataDir, location, account } = options;
  const data = join(location, 'data');
  const known = await readPassword(dataDir);
  if (await exists(join(data, 'PG_VERSION'))) {
    await checkVersion(data, options.binaries);
    if (known === undefined) {
      throw new ServiceStartError(
        `${join(dataDir, PASSWORD_FILE)} is missing: restore it, or remove ${data} to begin with an empty database`,
      );
    }
    return known;
  }
  options.onProgress(`creating a PostgreSQL database in ${location} (once)`);
  const password = known ?? randomBytes(24).toString('base64url');
  await writeFile(join(dataDir, PASSWORD_FILE), password, { mode: 0o600 });
  await chmod(join(dataDir, PASSWORD_FILE), 0o600);

  const working = join(location, 'data.initialising');
  const passwordForInitdb = join(location, 'data.password');
  await rm(working, { recursive: true, force: true });
  await mkdir(working, { mode: 0o700 });
  await rm(passwordForInitdb, { force: true });
  await writeFile(passwordForInitdb, password, { mode: 0o600 });
  try {
    if (account !== undefined) {
      await chown(working, account.uid, account.gid);
      await chown(passwordForInitdb, account.uid, account.gid);
    }
    await runInitdb(options, working, passwordForInitdb);
  } finally {
    await rm(passwordForInitdb, { force: true });
  }
  await rename(working, data);
  return password;
}

async function runInitdb(options: InitialiseOptions, data: string, passwordFile: string): Promise<void> {
  const { account } = options;
  const args = ['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  args.push('--encoding=UTF8', '--locale=C', '--no-instructions');
  try {
    await run(join(options.binaries, 'bin', 'initdb'), args, {
      cwd: options.location,
      env: SERVER_ENVIRONMENT,
      ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
    });
  } catch (error) {
    throw new ServiceStartError(`initdb failed: ${readErrorMessage(error)}`, { cause: error });
  }
}

async function checkVersion(data: string, binaries: string): Promise<void> {
  const wanted = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  const { stdout } = await run(join(binaries, 'bin', 'postgres'), ['--version'], { env: SERVER_ENVIRONMENT });
  const present = /(\d+)(\.|devel|beta|rc)/.exec(stdout)?.[1];
  if (present !== wanted) {
    throw new ServiceStartError(
      `${data} was written by PostgreSQL ${wanted}, installed is ${present ?? stdout.trim()}: dump it with the old release and restore, or remove it`,
    );
  }
}

async function readPassword(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, PASSWORD_FILE), 'utf8')).trim();
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      return false;
    }
    throw error;
  }
}
