import { AppError } from '@candor/contracts';
import { DEFAULT_UPLOAD_BYTES } from './uploads-environment.js';

/** Room for large bodies, of all requests of this process together: whoever comes when it is taken is asked to come back. */
export class BodyMemory {
  private reservedBytes = 0;

  constructor(private readonly mostBytes = DEFAULT_UPLOAD_BYTES) {}

  /**
   * @returns gives the room back.
   * @throws AppError RATE_LIMIT.EXCEEDED
   */
  reserve(bytes: number): () => void {
    if (this.reservedBytes + bytes > this.mostBytes) {
      throw new AppError('RATE_LIMIT.EXCEEDED', {
        message: 'Too many uploads are being received at once.',
        retryAfterSeconds: 2,
      });
    }
    this.reservedBytes += bytes;
    return () => {
      this.reservedBytes -= bytes;
    };
  }
}
