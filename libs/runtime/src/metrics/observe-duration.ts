import { performance } from 'node:perf_hooks';
import { AppError } from '@candor/contracts';
import type { Histogram } from 'prom-client';

/** `ok`, or the code of the error: both come from closed lists. */
export function outcomeOf(error: unknown): string {
  return AppError.from(error).code;
}

/** Observes how long `work` takes, seconds, with the labels given and its `outcome`. */
export async function observeDuration<Label extends string, Result>(
  histogram: Histogram<Label | 'outcome'>,
  labels: Record<Label, string>,
  work: () => Promise<Result>,
): Promise<Result> {
  const started = performance.now();
  const observe = (outcome: string): void =>
    histogram.observe(
      { ...labels, outcome } as Record<Label | 'outcome', string>,
      (performance.now() - started) / 1_000,
    );
  try {
    const result = await work();
    observe('ok');
    return result;
  } catch (error) {
    observe(outcomeOf(error));
    throw error;
  }
}
