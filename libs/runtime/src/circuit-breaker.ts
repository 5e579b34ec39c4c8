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
 * library counts rates, and any attempt's end is that of the try to it; so attempts are judged here, and it keeps the
 * states and their times.
 */
export class RowBreaker {
  private readonly circuit: CircuitBreaker;
  private failuresInARow = 0;
  private openings = 0;
  /** The one attempt of a half-open circuit. */
  private underTry: { asker: object | undefined; end: Promise<unknown> } | null = null;

  constructor(private readonly options: RowBreakerOptions) {
    const { name, resetMs } = options;
    this.circuit = new CircuitBreaker(async () => undefined, { name, resetTimeout: resetMs });
    const show = (state: number) => () => circuitState.set({ circuit: name }, state);
    show(0)();
    this.circuit.on('close', show(0)).on('halfOpen', show(1)).on('open', show(2));
    this.circuit.on('open', () => (this.openings += 1));
  }

  /**
   * @param asker what the attempt is for, if that takes several: when its own attempt is the try, the others of it wait for
   *   the outcome. Everybody else is refused meanwhile, since a try can take as long as the other side is silent.
   */
  async run<Result>(attempt: () => Promise<Result>, asker?: object): Promise<Result> {
    if (asker && this.underTry?.asker === asker) await this.underTry.end.catch(() => undefined);
    if (this.circuit.opened || this.underTry) {
      throw this.options.refuse(Math.max(1, Math.ceil(this.options.resetMs / 1000)));
    }
    const end = this.observe(attempt);
    if (this.circuit.halfOpen) this.underTry = { asker, end };
    return end;
  }

  close(): void {
    this.circuit.shutdown();
  }

  private async observe<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const opening = this.openings;
    try {
      const result = await attempt();
      this.record('answered', opening);
      return result;
    } catch (error) {
      this.record(this.options.judge(error), opening);
      throw error;
    }
  }

  /** What began before the circuit last opened says nothing about the time since: a try has begun later, and knows more. */
  private record(verdict: AttemptVerdict, opening: number): void {
    if (opening !== this.openings) return;
    // While a try is under way, nothing else is of its opening.
    this.underTry = null;
    if (verdict === 'answered') {
      this.failuresInARow = 0;
      this.circuit.close();
      return;
    }
    if (verdict === 'transport_failure') this.failuresInARow += 1;
    // A try that its caller gave up proved nothing, so the circuit opens again.
    if (this.circuit.halfOpen || this.failuresInARow >= this.options.failuresUntilOpen) this.circuit.open();
  }
}
