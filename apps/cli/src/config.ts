import { readFileSync } from 'node:fs';
import { AppError } from '@candor/contracts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Connection {
  url: string;
  apiKey: string;
}

const DEFAULT_URL = 'http://127.0.0.1:3000';

const KEY_OF_START = 'The key of `npm start` is in .candor/admin-key: CANDOR_API_KEY=$(cat .candor/admin-key).';

/** @throws AppError CONFIG.INVALID saying what to set; `details.mend` says how */
export function readConnection(environment: Environment, options: { url?: string | undefined }): Connection {
  const url = options.url ?? environment['CANDOR_URL'] ?? DEFAULT_URL;
  if (!/^https?:\/\//.test(url))
    throw invalid('CANDOR_URL must be an http or https URL.', `Set it to the gateway's address, e.g. ${DEFAULT_URL}.`);
  const apiKey = environment['CANDOR_API_KEY'] ?? readKeyFile(environment['CANDOR_API_KEY_FILE']);
  if (!apiKey) throw invalid('Set CANDOR_API_KEY (or CANDOR_API_KEY_FILE) to an API key.', KEY_OF_START);
  return { url: url.replace(/\/+$/, ''), apiKey };
}

function readKeyFile(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw invalid(
      'CANDOR_API_KEY_FILE names a file that cannot be read.',
      'Correct its path, or let this user read it.',
      cause,
    );
  }
}

function invalid(message: string, mend: string, cause?: unknown): AppError {
  return new AppError('CONFIG.INVALID', { message, details: { mend }, cause });
}
