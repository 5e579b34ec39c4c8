import { AppError } from '@candor/contracts';
import { RowBreaker, type AttemptVerdict } from '@candor/runtime/circuit-breaker';

export type { AttemptVerdict } from '@candor/runtime/circuit-breaker';

/** Transport failures in a row after which no call is made for a while. */
export const FAILURES_UNTIL_OPEN = 10;

/** SYNTHESIS.CIRCUIT_OPEN after {@link FAILURES_UNTIL_OPEN} transport failures in a row, until one try gets an answer. */
export class TransportBreaker extends RowBreaker {
  constructor(resetMs: number, judge: (error: unknown) => AttemptVerdict) {
    super({
      name: 'answer-provider',
      failuresUntilOpen: FAILURES_UNTIL_OPEN,
      resetMs,
      judge,
      refuse: (retryAfterSeconds) => new AppError('SYNTHESIS.CIRCUIT_OPEN', { retryAfterSeconds }),
    });
  }
}
