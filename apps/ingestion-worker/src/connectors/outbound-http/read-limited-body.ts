import { AppError } from '@candor/contracts';
import { readAtMost } from '@candor/runtime';
import type { Response } from 'undici';
import { TransientFailure } from './transient-failure.js';

/** The decoded body. Throws `CONNECTOR.ITEM_TOO_LARGE`; what breaks off is a TransientFailure. */
export async function readLimitedBody(response: Response, maxBytes: number): Promise<Buffer> {
  const body = await readAtMost(response.body, maxBytes).catch((cause: unknown) => {
    // What an abort carries comes as it is.
    throw cause instanceof AppError ? cause : new TransientFailure('unavailable', { cause });
  });
  if (body === undefined) throw tooLarge(maxBytes);
  return body;
}

export function tooLarge(maxBytes: number): AppError {
  return new AppError('CONNECTOR.ITEM_TOO_LARGE', {
    message: `The item is larger than the ${String(Math.round(maxBytes / 1024 / 1024))} MiB that are read.`,
    details: { maxBytes },
  });
}
