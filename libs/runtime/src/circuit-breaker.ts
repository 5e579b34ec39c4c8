import type { AppError } from '@candor/contracts';
import CircuitBreaker from 'opossum';
import { defineGauge } from './metrics/define-metric.js';

/** How an attempt ended, as far as the health of the other side is concerned. */
export type AttemptVerdict =
  /** It couldn't be reached, didn't answer in time, or said 5xx. */
  | 'transport_failure'
  /** It answered, if only with a refusal. */
  | 'answered'
  /** The caller stopped waiting: says nothing about the other side. */
  | 'unknown';

export interface RowBreakerOptions {
  name: string;
  /** Transport failures in a row after which no attempt is made for a while. */
  failuresUntilOpen: number;
  /** Milliseconds after which one attempt is tried again. */
  resetMs: number;
  judge: (error: unknown) => AttemptVerdict;
  /** Calls that come during that one wait for its outcome, instead of being refused. Default false. */
  waitsForTry?: boolean;
  /** What callers get instead of an attempt. */
  refuse: (retryAfterSeconds: number) => AppError;
}

const circuitState = defineGauge({
  name: 'candor_circuit_state',
  help: 'Circuit breakers: 0 closed, 1 half open (one try under way), 2 open (calls are refused).',
  labels: ['circuit'],
});

/**
 * Opens at a number of transport failures in a row, and then refuses until, `resetMs` later, one try gets an answer. The
 * library counts rates, so the row is counted here and the library keeps the states.
 */
export class RowBreaker {
  private readonly circuit: CircuitBreaker<[() => Promise<unknown>]>;
  private failuresInARow = 0;
  /** The one attempt of a half-open circuit. */
  private underTry: Promise<unknown> | null = null;

  constructor(private readonly options: RowBreakerOptions) {
    const { judge } = options;
    this.circuit = new CircuitBreaker((attempt: () => Promise<unknown>) => attempt(), {
      name: options.name,
      timeout: false,
      resetTimeout: options.resetMs,
      // A rate can't exceed it: only the count below opens a closed circuit.
      errorThresholdPercentage: 100,
      errorFilter: (error: unknown) => !this.countsAsFailure(error),
    });
    const show = (state: number) => () => circuitState.set({ circuit: options.name }, state);
    show(0)();
    this.circuit.on('close', show(0)).on('halfOpen', show(1)).on('open', show(2));
    this.circuit.on('success', (result: unknown) => {
      if (!(result instanceof Error) || judge(result) === 'answered') this.failuresInARow = 0;
    });
    this.circuit.on('failure', (error: unknown) => {
      if (judge(error) !== 'transport_failure') return;
      this.failuresInARow += 1;
      if (this.failuresInARow >= options.failuresUntilOpen) this.circuit.open();
    });
  }

  async run<Result>(attempt: () => Promise<Result>): Promise<Result> {
    if (this.options.waitsForTry === true && this.underTry) await this.underTry.catch(() => undefined);
    if (this.circuit.opened || (this.circuit.halfOpen && !this.circuit.pendingClose)) {
      throw this.options.refuse(Math.max(1, Math.ceil(this.options.resetMs / 1000)));
    }
    const isTry = this.circuit.halfOpen;
    const result = this.circuit.fire(attempt) as Promise<Result>;
    if (!isTry) return result;
    this.underTry = result;
    try {
      return await result;
    } finally {
      this.underTry = null;
    }
  }

  close(): void {
    this.circuit.shutdown();
  }

  private countsAsFailure(error: unknown): boolean {
    const verdict = this.options.judge(error);
    // The one try of a half-open circuit that its caller gave up proved nothing, so the circuit opens again.
    return verdict === 'transport_failure' || (verdict === 'unknown' && this.circuit.halfOpen);
  }
}
