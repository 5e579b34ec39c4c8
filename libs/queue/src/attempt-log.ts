/** Jobs that are parked come back within half a minute, and may need minutes to fail again. */
const LATELY_MS = 300_000;
/**
 * So often has a job to fail while others of its kind fail as well and some are done: under an overload by then all but one in
 * hundreds have come through, and two that are too large don't save each other for ever. Some ten minutes of parking.
 */
const MOST_DOUBTS = 30;
/** Jobs whose doubts are remembered; some go on in another process, and nothing is heard of them again. */
const MOST_DOUBTFUL = 10_000;

interface Failure {
  jobId: string;
  at: number;
}

/** How the attempts of this process ended of late: whether a failure is a job's own, or everybody's. */
export class AttemptLog {
  /** By name, when one was done last. */
  private readonly done = new Map<string, number>();
  /** By name, which failed for want of a dependency, and when last. */
  private readonly failed = new Map<string, Failure[]>();
  /** By job, how often it could have been either; the latest are the last. */
  private readonly doubts = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  recordDone(name: string, jobId: string): void {
    this.done.set(name, this.now());
    this.doubts.delete(jobId);
  }

  recordFailure(name: string, jobId: string): void {
    // Two names suffice: whoever asks is one of them at most.
    const others = (this.failed.get(name) ?? []).filter((failure) => failure.jobId !== jobId);
    this.failed.set(name, [...others.slice(-1), { jobId, at: this.now() }]);
  }

  /**
   * To be asked once at each failure of a job that may be its own. Whether it is, as others were served since: some of its
   * kind were done, and none failed lately; or any job was done, where no other of its kind has been tried lately without
   * success. Where some of its kind are done and some fail it may be either, and is taken for its own when that was so often.
   */
  servesOthers(name: string, jobId: string, since: number): boolean {
    const doneAt = this.done.get(name) ?? -Infinity;
    const failures = (this.failed.get(name) ?? []).filter(
      (failure) => failure.jobId !== jobId && failure.at >= since - LATELY_MS,
    );
    if (doneAt >= since) return failures.length === 0 || this.countDoubt(jobId) > MOST_DOUBTS;
    if (failures.some(({ at }) => at > doneAt)) return false;
    return [...this.done.values()].some((at) => at >= since);
  }

  private countDoubt(jobId: string): number {
    const doubts = (this.doubts.get(jobId) ?? 0) + 1;
    this.doubts.delete(jobId);
    this.doubts.set(jobId, doubts);
    const [oldest] = this.doubts.keys();
    if (this.doubts.size > MOST_DOUBTFUL && oldest !== undefined) this.doubts.delete(oldest);
    return doubts;
  }
}
