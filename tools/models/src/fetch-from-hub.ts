import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MODEL_FILE_NAMES } from './model-catalogue.js';
import type { ModelSource } from './model-catalogue.js';
import { readErrorMessage } from './read-error.js';

const TIMEOUT_MS = 15 * 60_000;
const PROGRESS_STEP = 0.1;

/** Downloads both files from the Hugging Face hub, or from the mirror that `HF_ENDPOINT` names (its usual variable). */
export async function fetchFromHub(
  source: ModelSource,
  folder: string,
  environment: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
): Promise<void> {
  const endpoint = (environment['HF_ENDPOINT'] ?? 'https://huggingface.co').replace(/\/+$/, '');
  let received = 0;
  let reported = 0;
  for (const file of MODEL_FILE_NAMES) {
    const url = `${endpoint}/${source.hub.repository}/resolve/main/${source.hub.files[file]}`;
    const response = await request(url);
    await pipeline(
      Readable.from(response),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          received += chunk.byteLength;
          if (received / source.bytes >= reported + PROGRESS_STEP) {
            reported = received / source.bytes;
            onProgress(
              `${source.name}: ${Math.min(100, Math.round(reported * 100))} % of ${Math.round(source.bytes / 1e6)} MB`,
            );
          }
          yield chunk;
        }
      },
      createWriteStream(join(folder, file)),
    );
  }
}

async function request(url: string): Promise<AsyncIterable<Uint8Array>> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
    const reason = readErrorMessage(cause ?? error);
    throw new Error(`${url}: ${reason}`, { cause: error });
  }
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}`);
  }
  return response.body;
}
