/** Jobs that are parked come back within half a minute, and may need minutes to fail again. */
const LATELY_MS = 300_000;

/** How the attempts of this process ended of late: whether a failure is a job's own, or everybody's. */
export class AttemptLog {
  /** By name, when one was done last. */
  private readonly done = new Map<string, number>();
  /** By name, which failed for want of a dependency, and when last. */
  private readonly failed = new Map<string, { jobId: string; at: number }[]>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  recordDone(name: string): void {
    this.done.set(name, this.now());
  }

  recordFailure(name: string, jobId: string): void {
    // Two names suffice: whoever asks is one of them at most.
    const others = (this.failed.get(name) ?? []).filter((failure) => failure.jobId !== jobId);
    this.failed.set(name, [...others.slice(-1), { jobId, at: this.now() }]);
  }

  /**
   * Whether others were served since: one of its kind was done; or any job was, where no other of its kind has been tried
   * lately without success.
   */
  servesOthers(name: string, jobId: string, since: number): boolean {
    const doneAt = this.done.get(name) ?? -Infinity;
    if (doneAt >= since) return true;
    const suffersToo = (failure: { jobId: string; at: number }): boolean =>
      failure.jobId !== jobId && failure.at > doneAt && failure.at >= since - LATELY_MS;
    if (this.failed.get(name)?.some(suffersToo)) return false;
    return [...this.done.values()].some((at) => at >= since);
  }
}
