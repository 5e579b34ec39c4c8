import { CandorError } from '@candor/client';
import { AppError } from '@candor/contracts';
import { toAppError } from './client/import-gateway.js';
import { EXIT } from './exit-codes.js';
import { readFileError } from './read-file-error.js';
import type { CliStreams } from './run-cli.js';

/**
 * What ended a command, in words for people.
 * @throws what was thrown when it is a mistake of this program
 */
export function toRefusal(thrown: unknown): AppError {
  const error = thrown instanceof CandorError ? toAppError(thrown) : (readFileError(thrown) ?? thrown);
  if (!(error instanceof AppError)) throw error;
  return error;
}

/** An error as this program prints it in JSON. */
export function errorJson({ code: type, message, details }: AppError): Record<string, unknown> {
  return { type, message, details };
}

/** Says on standard error what ended a command: a sentence, or with `--json` one line of JSON. */
export function complain(error: AppError, asJson: boolean, { error: stream }: Pick<CliStreams, 'error'>): void {
  stream.write(asJson ? `${JSON.stringify({ error: errorJson(error) })}\n` : `${error.message}\n`);
}

export function exitCodeOf({ code }: AppError, isPartlyDone = false): number {
  if (code === 'REQUEST.CANCELLED') return EXIT.interrupted;
  return isPartlyDone ? EXIT.someFailed : EXIT.refused;
}
