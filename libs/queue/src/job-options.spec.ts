import {
  backoffStrategy,
  fromQueueJobId,
  jitteredBackoffMs,
  retryDelayMs,
  StoredFailure,
  toJobOptions,
  toQueueJobId,
} from './job-options.js';
import { makeTestJobs } from './conformance/test-jobs.js';

const { work, once } = makeTestJobs('q');

describe('job options', () => {
  it('puts the contract version in the id, and takes it out again', () => {
    expect(toQueueJobId(work, 'work-a-v7')).toBe('work-a-v7-v2');
    expect(fromQueueJobId('work-a-v7-v2')).toBe('work-a-v7');
  });

  it.each(['', 'a:b'])('refuses the id "%s", which BullMQ would refuse or make up', (jobId) => {
    expect(() => toQueueJobId(work, jobId)).toThrow(expect.objectContaining({ code: 'JOB.INVALID_PAYLOAD' }));
  });

  it('keeps finished jobs for a bounded time and number, and those of one attempt not at all', () => {
    expect(toJobOptions(work, 'a', {})).toMatchObject({
      attempts: 3,
      removeOnComplete: { age: 600, count: 5_000 },
      removeOnFail: { age: 3_600, count: 1_000 },
      stackTraceLimit: 0,
    });
    expect(toJobOptions(once, 'a', { delayMs: 5, priority: 2 })).toMatchObject({
      attempts: 1,
      removeOnComplete: true,
      removeOnFail: true,
      delay: 5,
      priority: 2,
    });
  });
});

describe('back-off', () => {
  it('doubles up to its maximum, half of it random', () => {
    expect([1, 2, 3, 10].map((attempt) => jitteredBackoffMs(500, attempt, 4_000, 0))).toEqual([250, 500, 1_000, 2_000]);
    expect([1, 2, 3, 10].map((attempt) => jitteredBackoffMs(500, attempt, 4_000, 1))).toEqual([
      500, 1_000, 2_000, 4_000,
    ]);
  });

  it('stays bounded at the attempt numbers of a long outage', () => {
    expect(jitteredBackoffMs(500, 100_000, 30_000, 1)).toBe(30_000);
  });

  it('waits at least as long as the dependency asked', () => {
    const job = { opts: toJobOptions(work, 'a', {}) };
    expect(retryDelayMs(job.opts, 1, 7)).toBe(7_000);
    expect(backoffStrategy(1, undefined, new StoredFailure('RATE_LIMIT.EXCEEDED', 7_000), job)).toBe(7_000);
    expect(backoffStrategy(1, undefined, new StoredFailure('INTERNAL.UNEXPECTED'), job)).toBeLessThanOrEqual(10);
  });
});
