import { AppError } from '@candor/contracts';
import { cancelledError, throwIfCancelled } from './cancellation.js';

export interface CoalescerOptions<Input, Output> {
  /**
   * Does the work of all inputs, and answers in their order; one input's failure fails the batch.
   * @param signal fires when every one of the callers has gone.
   */
  run: (inputs: readonly Input[], signal: AbortSignal) => Promise<readonly Output[]>;
  /** Inputs a batch. */
  maxInputs: number;
  /** Weight a batch; an input that is heavier goes alone. */
  maxWeight?: number;
  weigh?: (input: Input) => number;
  /** How much of the first limit an input takes, default 1. */
  count?: (input: Input) => number;
  /** Batches at once, default 1. */
  concurrency?: number;
  /** A batch takes one of each group in turn, so that many calls of one don't keep another's waiting. */
  groupOf?: (input: Input) => string;
}

interface Waiting<Input, Output> {
  input: Input;
  isGone: boolean;
  /** Told once, when the caller goes away. */
  onGone: () => void;
  resolve: (output: Output) => void;
  reject: (error: unknown) => void;
}

/**
 * Many small calls that wait for one thing pay for it together: while a batch runs, the next calls gather. A batch that
 * fails is repeated call by call, so that a bad one fails alone; only while a dependency is down, all fail at once. Who
 * goes away is let go at once; a batch is given up when nobody is left who waits for it.
 */
export class Coalescer<Input, Output> {
  private readonly queue: Waiting<Input, Output>[] = [];
  private readonly whenSettled: (() => void)[] = [];
  private draining = 0;

  constructor(private readonly options: CoalescerOptions<Input, Output>) {}

  /** @throws AppError REQUEST.CANCELLED as soon as the signal fires; whatever the batch fails with. */
  async call(input: Input, signal?: AbortSignal): Promise<Output> {
    throwIfCancelled(signal);
    let onAbort = (): void => undefined;
    const answer = new Promise<Output>((resolve, reject) => {
      const waiting: Waiting<Input, Output> = { input, isGone: false, onGone: () => undefined, resolve, reject };
      onAbort = () => {
        this.letGo(waiting);
        reject(cancelledError(signal));
      };
      this.queue.push(waiting);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    if (this.draining < (this.options.concurrency ?? 1)) void this.drain();
    try {
      return await answer;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Resolves when nothing is waiting or running. */
  async settled(): Promise<void> {
    if (this.draining > 0) await new Promise<void>((resolve) => this.whenSettled.push(resolve));
  }

  private async drain(): Promise<void> {
    this.draining += 1;
    // One turn of the event loop lets calls made together share the first batch too.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) await this.runBatch(this.takeBatch());
    // In the same turn as the last look at the queue, so that no call falls between.
    this.draining -= 1;
    if (this.draining === 0) for (const resolve of this.whenSettled.splice(0)) resolve();
  }

  private takeBatch(): Waiting<Input, Output>[] {
    this.takeTurns();
    const { maxInputs, maxWeight = Infinity, weigh, count } = this.options;
    let inputs = 0;
    let weight = 0;
    let taken = 0;
    for (const { input } of this.queue) {
      inputs += count?.(input) ?? 1;
      weight += weigh?.(input) ?? 0;
      if (taken > 0 && (inputs > maxInputs || weight > maxWeight)) break;
      taken += 1;
    }
    return this.queue.splice(0, taken);
  }

  /** Puts the queue in the order in which it is served. */
  private takeTurns(): void {
    const { groupOf } = this.options;
    if (!groupOf) return;
    const turns = new Map<string, number>();
    const placed = this.queue.map((waiting) => {
      const group = groupOf(waiting.input);
      const turn = (turns.get(group) ?? 0) + 1;
      turns.set(group, turn);
      return { waiting, turn };
    });
    if (turns.size < 2) return;
    placed.sort((left, right) => left.turn - right.turn);
    this.queue.splice(0, this.queue.length, ...placed.map(({ waiting }) => waiting));
  }

  private letGo(waiting: Waiting<Input, Output>): void {
    const place = this.queue.indexOf(waiting);
    if (place >= 0) this.queue.splice(place, 1);
    waiting.isGone = true;
    waiting.onGone();
  }

  private async runBatch(batch: readonly Waiting<Input, Output>[]): Promise<void> {
    try {
      const outputs = await this.runWhileWanted(batch);
      if (outputs.length !== batch.length) throw new Error('a batch has as many answers as it has calls');
      batch.forEach(({ resolve }, index) => resolve(outputs[index] as Output));
    } catch (error) {
      // What is refused for good is about one of the inputs, whatever it is called.
      const down = error instanceof AppError && error.retryable && error.code.startsWith('DEPENDENCY.');
      // Asking a server that is down once a call would only hold everybody up.
      if (batch.length === 1 || down) for (const { reject } of batch) reject(error);
      else for (const waiting of batch) if (!waiting.isGone) await this.runBatch([waiting]);
    }
  }

  private async runWhileWanted(batch: readonly Waiting<Input, Output>[]): Promise<readonly Output[]> {
    const given = new AbortController();
    for (const waiting of batch) {
      waiting.onGone = () => {
        if (batch.every(({ isGone }) => isGone)) given.abort();
      };
    }
    return this.options.run(
      batch.map(({ input }) => input),
      given.signal,
    );
  }
}
