import { AppError } from '@candor/contracts';
import type { Response } from 'undici';
import { TransientFailure } from './transient-failure.js';

/** The decoded body, counted as it comes: neither a wrong Content-Length nor a compressed bomb fills the memory. */
export async function readLimitedBody(response: Response, maxBytes: number): Promise<Buffer> {
  if (response.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { value } = (await reader.read()) as { value?: Uint8Array };
      if (value === undefined) return Buffer.concat(chunks);
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    throw error instanceof AppError ? error : new TransientFailure('unavailable', { cause: error });
  } finally {
    // Also frees the connection of an answer that was given up.
    reader.cancel().catch(() => undefined);
  }
}

export function tooLarge(maxBytes: number): AppError {
  return new AppError('CONNECTOR.ITEM_TOO_LARGE', {
    message: `The item is larger than the ${String(Math.round(maxBytes / 1024 / 1024))} MiB that are read.`,
    details: { maxBytes },
  });
}
