import { sampleAtScrape } from '@candor/runtime/metrics';
import type { JobProducer } from './job-producer.js';

/** Depth and age of the queues at each scrape, as the backend has them: every process that exports it says the same. */
export function sampleQueues(
  producer: Pick<JobProducer, 'counts' | 'oldestWaitingMs'>,
  queues: readonly string[],
): void {
  sampleAtScrape({
    name: 'candor_queue_jobs',
    help: 'Jobs in a queue by state: waiting, active, delayed (backing off, parked or scheduled).',
    labels: ['queue', 'state'],
    read: async () => {
      const counts = await Promise.all(queues.map(async (queue) => ({ queue, ...(await producer.counts(queue)) })));
      return counts.flatMap(({ queue, waiting, active, delayed }) =>
        Object.entries({ waiting, active, delayed }).map(([state, value]) => ({ labels: { queue, state }, value })),
      );
    },
  });
  sampleAtScrape({
    name: 'candor_queue_oldest_waiting_seconds',
    help: 'Age of the job that has waited longest in a queue; 0 when none waits.',
    labels: ['queue'],
    read: () =>
      Promise.all(
        queues.map(async (queue) => ({
          labels: { queue },
          value: (await producer.oldestWaitingMs(queue)) / 1_000,
        })),
      ),
  });
}
