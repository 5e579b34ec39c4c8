import { AppError } from '@candor/contracts';
import CircuitBreaker from 'opossum';

/** Transport failures in a row after which no call is made for a while. */
export const FAILURES_UNTIL_OPEN = 10;

/** How an attempt ended, as far as the health of the provider is concerned. */
export type AttemptVerdict =
  /** It couldn't be reached, didn't answer in time, or said 5xx. */
  | 'transport_failure'
  /** It answered, if only with a refusal. */
  | 'answered'
  /** The caller stopped waiting: says nothing about the provider. */
  | 'unknown';

/**
 * Opens at {@link FAILURES_UNTIL_OPEN} transport failures in a row; then SYNTHESIS.CIRCUIT_OPEN until, `resetMs` later,
 * one try gets an answer. The library counts rates, so the row is counted here and the library keeps the states.
 */
export class TransportBreaker {
  private readonly circuit: CircuitBreaker<[() => Promise<unknown>]>;
  private failuresInARow = 0;

  constructor(
    private readonly resetMs: number,
    private readonly judge: (error: unknown) => AttemptVerdict,
  ) {
    this.circuit = new CircuitBreaker((attempt: () => Promise<unknown>) => attempt(), {
      name: 'answer-provider',
      timeout: false,
      resetTimeout: resetMs,
      // A rate can't exceed it: only the count below opens a closed circuit.
      errorThresholdPercentage: 100,
      errorFilter: (error: unknown) => !this.countsAsFailure(error),
    });
    this.circuit.on('success', (result: unknown) => {
      if (!(result instanceof Error) || this.judge(result) === 'answered') this.failuresInARow = 0;
    });
    this.circuit.on('failure', (error: unknown) => {
      if (this.judge(error) !== 'transport_failure') return;
      this.failuresInARow += 1;
      if (this.failuresInARow >= FAILURES_UNTIL_OPEN) this.circuit.open();
    });
  }

  async run<Result>(attempt: () => Promise<Result>): Promise<Result> {
    if (this.circuit.opened || (this.circuit.halfOpen && !this.circuit.pendingClose)) {
      throw new AppError('SYNTHESIS.CIRCUIT_OPEN', { retryAfterSeconds: Math.max(1, Math.ceil(this.resetMs / 1000)) });
    }
    return (await this.circuit.fire(attempt)) as Result;
  }

  close(): void {
    this.circuit.shutdown();
  }

  private countsAsFailure(error: unknown): boolean {
    const verdict = this.judge(error);
    // The one try of a half-open circuit that its caller gave up proved nothing, so the circuit opens again.
    return verdict === 'transport_failure' || (verdict === 'unknown' && this.circuit.halfOpen);
  }
}
