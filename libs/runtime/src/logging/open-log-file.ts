import pino, { type DestinationStream } from 'pino';

/** Appends to a file without blocking; for processes whose terminal belongs to a person. */
export function openLogFile(path: string): DestinationStream {
  return pino.destination({ dest: path, append: true, mkdir: true, sync: false });
}
