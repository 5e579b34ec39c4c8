import { types } from 'node:util';
import { AppError } from '@candor/contracts';

/** What the system says of a file that can't be read or written, as the refusal of a command; null for another error. */
export function readFileError(thrown: unknown): AppError | null {
  if (!types.isNativeError(thrown) || !('syscall' in thrown) || !('code' in thrown)) return null;
  const { message, code, path } = thrown as NodeJS.ErrnoException;
  // "ENOENT: no such file or directory, open '/nowhere'"; reading a folder names no path.
  const reason = message.replace(`${code}: `, '').split(',')[0] ?? message;
  return new AppError('REQUEST.INVALID', {
    message: path === undefined ? `A file cannot be used: ${reason}.` : `${path}: ${reason}.`,
    cause: thrown,
  });
}
