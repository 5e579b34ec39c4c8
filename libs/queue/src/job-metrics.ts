import { defineHistogram } from '@candor/runtime/metrics';
import type { FailureOutcome } from './decide-failure.js';

/** A queue can hold a job of a newer release: its name must not become a time series. */
export const UNKNOWN_JOB = 'unknown';

/** From a job that only checks a row to a slice of a sync. */
const RUN_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const WAIT_SECONDS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 900, 3_600];

const runs = defineHistogram({
  name: 'candor_job_duration_seconds',
  help: 'Attempts of jobs: time from being taken to its end, and how it ended.',
  labels: ['job_name', 'outcome'],
  buckets: RUN_SECONDS,
});
const waits = defineHistogram({
  name: 'candor_job_wait_seconds',
  help: 'Time between a job being due and its first start.',
  labels: ['job_name'],
  buckets: WAIT_SECONDS,
});

export function observeRun(jobName: string, outcome: 'done' | FailureOutcome, seconds: number): void {
  runs.observe({ job_name: jobName, outcome }, seconds);
}

export function observeWait(jobName: string, dueAt: number): void {
  waits.observe({ job_name: jobName }, Math.max(0, Date.now() - dueAt) / 1_000);
}
