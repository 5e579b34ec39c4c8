import { defineCounter, defineHistogram, observeDuration } from '@candor/runtime/metrics';
import type { RetrievedPage } from './search/retrieval-run.js';

const calls = defineHistogram({
  name: 'candor_retrieval_call_duration_seconds',
  help: 'Calls of retrieval by method and outcome (ok, or the code of the error).',
  labels: ['method', 'outcome'],
});
const stages = defineHistogram({
  name: 'candor_retrieval_stage_duration_seconds',
  help: 'Stages of a retrieval: embed, search (after the vector is there), recheck against the database, total.',
  labels: ['stage'],
});
const rounds = defineHistogram({
  name: 'candor_retrieval_rounds',
  help: 'Times the index was asked until the page was full or nothing was left.',
  buckets: [1, 2, 3, 4, 6, 8],
});
const leftOut = defineCounter({
  name: 'candor_items_left_out_total',
  help: 'Items that were found and not shown, by cause.',
  labels: ['cause'],
});
const exclusions = defineCounter({
  name: 'candor_context_exclusions_total',
  help: 'Exclusions told in context contracts, by type.',
  labels: ['type'],
});

export function observeCall<Result>(method: string, work: () => Promise<Result>): Promise<Result> {
  return observeDuration(calls, { method }, work);
}

export function observePage(page: RetrievedPage): void {
  for (const [stage, milliseconds] of Object.entries(page.tookMs)) stages.observe({ stage }, milliseconds / 1_000);
  if (page.rounds > 0) rounds.observe(page.rounds);
  for (const [cause, count] of Object.entries(page.excluded.totals())) leftOut.inc({ cause }, count);
}

export function countExclusions(told: readonly { type: string }[]): void {
  for (const { type } of told) exclusions.inc({ type });
}
