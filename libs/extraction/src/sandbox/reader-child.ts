import { Worker } from 'node:worker_threads';
import { AppError } from '@candor/contracts';
import { readFile } from '../formats/read-file.js';
import type { FromReader, ToReader } from './reader-messages.js';

/** Program of the child process that reads files: see reader-process.ts. */
const MEMORY_LIMIT_BYTES = Number(process.argv[2]) * 1024 * 1024;
const WATCH_INTERVAL_MS = 200;

/**
 * A parser that hangs or explodes keeps this thread from noticing anything: another one ends the process when it
 * takes too much memory outside the heap, or when the parent is gone.
 */
const WATCHDOG = `
  const { workerData } = require('node:worker_threads');
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent || process.memoryUsage.rss() > workerData.memoryLimitBytes)
      process.kill(process.pid, 'SIGKILL');
  }, workerData.interval);
`;

const watchdog = new Worker(WATCHDOG, {
  eval: true,
  workerData: { memoryLimitBytes: MEMORY_LIMIT_BYTES, interval: WATCH_INTERVAL_MS },
});
watchdog.on('error', () => process.exit(1));

let file: { name: string; mediaType: string; bytes: Buffer } | null = null;
let received = 0;

function send(message: FromReader): void {
  process.send?.(message);
}

process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToReader) => {
  if (message.kind === 'file') {
    file = { name: message.name, mediaType: message.mediaType, bytes: Buffer.alloc(message.size) };
    received = 0;
  } else if (file) {
    file.bytes.set(message.bytes, received);
    received += message.bytes.length;
  }
  if (file && received === file.bytes.length) {
    const complete = file;
    file = null;
    void answer(complete);
  }
});

async function answer(complete: { name: string; mediaType: string; bytes: Buffer }): Promise<void> {
  try {
    send({ kind: 'read', text: await readFile(complete) });
  } catch (error) {
    const known = toFileError(error);
    send({ kind: 'failed', error: known.toWire(), trace: describeTrace(error) });
  }
}

/** Whatever a library throws is about the file: it is the same every time, so the error is permanent. */
function toFileError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return new AppError('EXTRACT.UNREADABLE', { message: 'The file is nested too deeply.' });
  if (error instanceof RangeError && /allocation|string length|array length/i.test(error.message))
    return new AppError('EXTRACT.TOO_LARGE');
  return new AppError('EXTRACT.UNREADABLE', { message: 'The file is damaged and could not be read.' });
}

/** Names and places only: messages of parsers quote what they parse. */
function describeTrace(error: unknown): string | null {
  const origin = error instanceof AppError ? error.cause : error;
  if (!(origin instanceof Error)) return null;
  const frames = origin.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return [origin.name, ...frames.slice(0, 6)].join('\n');
}

send({ kind: 'ready' });
