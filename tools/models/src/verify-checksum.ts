import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MODEL_FILE_NAMES } from './model-catalogue.js';
import type { ModelSource } from './model-catalogue.js';

export class ChecksumMismatchError extends Error {
  constructor(
    readonly path: string,
    readonly expected: string,
    readonly actual: string,
  ) {
    super(`${path} has SHA-256 ${actual}, expected ${expected}`);
    this.name = 'ChecksumMismatchError';
  }
}

/** SHA-256 of a file as lower-case hex; rejects with the file system's error when it can't be read. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** @throws ChecksumMismatchError, or the file system's error when the file is missing. */
export async function verifyChecksum(path: string, expected: string): Promise<void> {
  const actual = await hashFile(path);
  if (actual !== expected) {
    throw new ChecksumMismatchError(path, expected, actual);
  }
}

/** Checks `model.onnx` and `tokenizer.json` in `folder` against the pinned sums. */
export async function verifyModelFolder(folder: string, source: ModelSource): Promise<void> {
  for (const file of MODEL_FILE_NAMES) {
    await verifyChecksum(join(folder, file), source.sha256[file]);
  }
}
