import { AppError } from '@candor/contracts';
import { DEFAULT_UPLOAD_BYTES } from './uploads-environment.js';

/** What a body holds of the room. */
export interface HeldRoom {
  /** Gives back what it turned out not to need. */
  shrinkTo(bytes: number): void;
  /** Gives all of it back; once is enough, more does nothing. */
  release(): void;
}

/** Room for large bodies, of all requests of this process together: whoever comes when it is taken is asked to come back. */
export class BodyMemory {
  private reservedBytes = 0;

  constructor(private readonly mostBytes = DEFAULT_UPLOAD_BYTES) {}

  /** @throws AppError RATE_LIMIT.EXCEEDED */
  reserve(bytes: number): HeldRoom {
    if (this.reservedBytes + bytes > this.mostBytes) {
      throw new AppError('RATE_LIMIT.EXCEEDED', {
        message: 'Too many uploads are being received at once.',
        retryAfterSeconds: 2,
      });
    }
    this.reservedBytes += bytes;
    let held = bytes;
    const shrinkTo = (needed: number): void => {
      const kept = Math.min(held, needed);
      this.reservedBytes -= held - kept;
      held = kept;
    };
    return { shrinkTo, release: () => shrinkTo(0) };
  }
}
