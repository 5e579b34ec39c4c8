import { open, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { AppError } from '@candor/contracts';

/**
 * Lines of a file, or of standard input.
 * @throws the system's error when the file can't be opened; AppError REQUEST.INVALID when it is a folder
 */
export async function* readLines(source: string | NodeJS.ReadableStream): AsyncGenerator<string> {
  if (typeof source !== 'string') {
    yield* createInterface({ input: source, crlfDelay: Infinity });
    return;
  }
  // Opened first: a stream that can't open its file tells the interface nothing.
  const file = await open(source);
  try {
    if ((await file.stat()).isDirectory()) throw new AppError('REQUEST.INVALID', { message: `${source} is a folder.` });
    yield* file.readLines();
  } finally {
    await file.close();
  }
}

/**
 * The JSON of a file, or of standard input for `-`.
 * @throws AppError REQUEST.INVALID when there is none
 */
export async function readJson(path: string, stdin: NodeJS.ReadableStream): Promise<unknown> {
  try {
    return JSON.parse(path === '-' ? await text(stdin as NodeJS.ReadStream) : await readFile(path, 'utf8')) as unknown;
  } catch (cause) {
    throw new AppError('REQUEST.INVALID', { message: `${path} is no file that holds JSON.`, cause });
  }
}
