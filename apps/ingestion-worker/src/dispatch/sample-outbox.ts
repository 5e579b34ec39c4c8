import { sampleAtScrape } from '@candor/runtime/metrics';
import type { Backlog } from '@candor/persistence';

/** Its table is read whole, so not at each scrape of each worker. */
const CACHE_MS = 15_000;

/** What is accepted and not handed to the queue yet, by job; 0 where nothing waits. */
export function sampleOutbox(outbox: { backlog: () => Promise<Backlog[]> }, jobNames: readonly string[]): void {
  const read = async (value: 'rows' | 'oldestSeconds') => {
    const backlog = new Map((await outbox.backlog()).map((entry) => [entry.jobName, entry[value]]));
    return jobNames.map((name) => ({ labels: { job_name: name }, value: backlog.get(name) ?? 0 }));
  };
  sampleAtScrape({
    name: 'candor_outbox_rows',
    help: 'Accepted work that has not been handed to the queue yet.',
    labels: ['job_name'],
    cacheMs: CACHE_MS,
    read: () => read('rows'),
  });
  sampleAtScrape({
    name: 'candor_outbox_oldest_seconds',
    help: 'Age of the oldest row of the outbox.',
    labels: ['job_name'],
    cacheMs: CACHE_MS,
    read: () => read('oldestSeconds'),
  });
}
