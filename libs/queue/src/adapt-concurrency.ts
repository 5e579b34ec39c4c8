import type { JobWorker } from './queue-backend.js';
import { QueueWindow } from './queue-window.js';

const EVERY_MS = 200;
/** Jobs at once for each that was done in the last second: they take about a second, most of it waiting to share work. */
const AT_ONCE = 2;

/**
 * Between the two bounds a worker has as many jobs at once as it does in two seconds: while they flow, more of them share
 * each commit and each write; behind something slow they would only get old.
 */
export function adaptConcurrency(
  worker: Pick<JobWorker, 'on' | 'concurrency'>,
  { concurrency, maxConcurrency }: { concurrency: number; maxConcurrency: number },
  now: () => number = Date.now,
): void {
  const done = new QueueWindow(0, now);
  let count = 0;
  let lookedAt = now();
  worker.on('completed', () => {
    count += 1;
    if (now() - lookedAt < EVERY_MS) return;
    done.record(count);
    count = 0;
    lookedAt = now();
    worker.concurrency = Math.min(maxConcurrency, Math.max(concurrency, done.size * AT_ONCE));
  });
}
