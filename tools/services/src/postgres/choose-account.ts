import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { readErrorCode } from '../read-error.js';
import { ServiceStartError } from '../service-start.error.js';
import type { Account } from '../supervise-process.js';

const run = promisify(execFile);
const OWN_USER = 'candor-postgres';

/**
 * The user PostgreSQL runs as when we are root, which it refuses to run as; undefined when we are not root.
 * Existing data decides by its owner; else `postgres`, a system user of our own, or `nobody`.
 */
export async function chooseAccount(existingData: readonly string[]): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  for (const folder of existingData) {
    const owner = await readOwner(folder);
    if (owner !== undefined && owner.uid !== 0) {
      return owner;
    }
  }
  return (
    (await findAccount('postgres')) ??
    (await findAccount(OWN_USER)) ??
    (await createAccount()) ??
    (await findAccount('nobody')) ??
    fail()
  );
}

async function readOwner(folder: string): Promise<Account | undefined> {
  try {
    const { uid, gid } = await stat(folder);
    return { uid, gid };
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

async function findAccount(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    // `id` fails for a user that doesn't exist.
    return undefined;
  }
}

async function createAccount(): Promise<Account | undefined> {
  try {
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', OWN_USER]);
  } catch {
    // Not every system has useradd or lets us; `nobody` is next.
    return undefined;
  }
  return findAccount(OWN_USER);
}

function fail(): never {
  throw new ServiceStartError(
    'PostgreSQL refuses to run as root, and there is no user it could run as: create a user "postgres", start as another user, or set DATABASE_URL',
  );
}
