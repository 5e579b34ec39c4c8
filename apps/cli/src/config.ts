import { readFileSync } from 'node:fs';
import { AppError } from '@candor/contracts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Connection {
  url: string;
  apiKey: string;
}

const DEFAULT_URL = 'http://127.0.0.1:3000';

/** @throws AppError CONFIG.INVALID saying what to set */
export function readConnection(environment: Environment, options: { url?: string | undefined }): Connection {
  const url = options.url ?? environment['CANDOR_URL'] ?? DEFAULT_URL;
  if (!/^https?:\/\//.test(url)) throw invalid('CANDOR_URL must be an http or https URL.');
  const apiKey = environment['CANDOR_API_KEY'] ?? readKeyFile(environment['CANDOR_API_KEY_FILE']);
  if (!apiKey) throw invalid('Set CANDOR_API_KEY (or CANDOR_API_KEY_FILE) to an API key.');
  return { url: url.replace(/\/+$/, ''), apiKey };
}

function readKeyFile(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw invalid('CANDOR_API_KEY_FILE names a file that cannot be read.', cause);
  }
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('CONFIG.INVALID', { message, cause });
}
