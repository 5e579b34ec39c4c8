import { AppError } from '@candor/contracts';

export interface CoalescerOptions<Input, Output> {
  /** Does the work of all inputs, and answers in their order; one input's failure fails the batch. */
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>;
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
  resolve: (output: Output) => void;
  reject: (error: unknown) => void;
}

/**
 * Many small calls that wait for one thing pay for it together: while a batch runs, the next calls gather. A batch that
 * fails is repeated call by call, so that a bad one fails alone; only while a dependency is down, all fail at once.
 */
export class Coalescer<Input, Output> {
  private readonly queue: Waiting<Input, Output>[] = [];
  private readonly whenSettled: (() => void)[] = [];
  private draining = 0;

  constructor(private readonly options: CoalescerOptions<Input, Output>) {}

  call(input: Input): Promise<Output> {
    return new Promise((resolve, reject) => {
      this.queue.push({ input, resolve, reject });
      if (this.draining < (this.options.concurrency ?? 1)) void this.drain();
    });
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

  private async runBatch(batch: readonly Waiting<Input, Output>[]): Promise<void> {
    try {
      const outputs = await this.options.run(batch.map(({ input }) => input));
      if (outputs.length !== batch.length) throw new Error('a batch has as many answers as it has calls');
      batch.forEach(({ resolve }, index) => resolve(outputs[index] as Output));
    } catch (error) {
      // What is refused for good is about one of the inputs, whatever it is called.
      const down = error instanceof AppError && error.retryable && error.code.startsWith('DEPENDENCY.');
      // Asking a server that is down once a call would only hold everybody up.
      if (batch.length === 1 || down) for (const { reject } of batch) reject(error);
      else for (const waiting of batch) await this.runBatch([waiting]);
    }
  }
}
