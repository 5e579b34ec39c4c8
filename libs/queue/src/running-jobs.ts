import { AppError } from '@candor/contracts';

export type AbortKind = 'timeout' | 'cancelled' | 'stopping';

/** An attempt ended by us, whatever the handler threw. */
export class AttemptAborted extends Error {
  constructor(
    readonly kind: AbortKind,
    readonly reason: AppError,
  ) {
    super(kind);
  }
}

/** The attempts that run in this process, each with its AbortSignal. */
export class RunningJobs {
  private readonly attempts = new Map<string, Set<Attempt>>();

  /** `graceMs`: how long a handler may go on after its signal fired before we stop waiting for it. */
  constructor(private readonly graceMs: number) {}

  /** Runs one attempt. A handler that ends well in spite of the signal has done its work; one that throws was aborted. */
  async run(jobId: string, deadline: Date, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const attempt = new Attempt(this.graceMs);
    const timer = setTimeout(() => attempt.abort('timeout'), Math.max(0, deadline.getTime() - Date.now()));
    const siblings = this.attempts.get(jobId) ?? new Set();
    this.attempts.set(jobId, siblings.add(attempt));
    try {
      await Promise.race([work(attempt.signal), attempt.overdue]);
    } catch (error) {
      throw attempt.aborted ?? error;
    } finally {
      clearTimeout(timer);
      attempt.end();
      siblings.delete(attempt);
      if (siblings.size === 0) this.attempts.delete(jobId);
    }
  }

  /** False if the job doesn't run in this process. */
  cancel(jobId: string): boolean {
    const attempts = this.attempts.get(jobId);
    attempts?.forEach((attempt) => attempt.abort('cancelled'));
    return attempts !== undefined;
  }

  stop(): void {
    for (const attempts of this.attempts.values()) attempts.forEach((attempt) => attempt.abort('stopping'));
  }
}

class Attempt {
  aborted: AttemptAborted | undefined;
  /** Rejects when the handler ignored its signal for the whole grace. */
  readonly overdue: Promise<never>;
  private readonly controller = new AbortController();
  private giveUp: (error: Error) => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly graceMs: number) {
    this.overdue = new Promise((_resolve, reject) => {
      this.giveUp = reject;
    });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(kind: AbortKind): void {
    if (this.aborted) return;
    const aborted = new AttemptAborted(kind, reasonOf(kind));
    this.aborted = aborted;
    this.timer = setTimeout(() => this.giveUp(aborted), this.graceMs);
    this.controller.abort(aborted.reason);
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

function reasonOf(kind: AbortKind): AppError {
  switch (kind) {
    case 'timeout':
      return new AppError('DEADLINE.EXCEEDED');
    case 'cancelled':
      return new AppError('REQUEST.CANCELLED');
    case 'stopping':
      return new AppError('REQUEST.CANCELLED', { message: 'The worker stopped before the job ended.' });
  }
}
