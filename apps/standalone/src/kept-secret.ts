import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A secret kept in a file that only its owner may read; null when there is none. */
export async function readSecret(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Renamed into place, so that nobody ever reads half a secret. */
export async function writeSecret(path: string, secret: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, `${secret}\n`, { mode: 0o600 });
  await rename(draft, path);
}

/** The same random secret at every start. */
export async function keepRandomSecret(path: string): Promise<string> {
  const kept = await readSecret(path);
  if (kept) return kept;
  const secret = randomBytes(32).toString('hex');
  await writeSecret(path, secret);
  return secret;
}

/** For `CANDOR_ENCRYPTION_KEYS` and `CANDOR_AUDIT_KEYS`: the given keys, or one that is made at the first start and kept. */
export async function keepKeys(path: string, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const kept = await readSecret(path);
  if (kept) return kept;
  const keys = `local:${randomBytes(32).toString('base64')}`;
  await writeSecret(path, keys);
  return keys;
}
