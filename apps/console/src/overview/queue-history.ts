export interface QueueSample {
  at: number;
  waiting: number;
}

const LONGEST = 60;

/** Adds a look at the queue; the oldest falls out. The history lives in this page alone. */
export function addSample(history: readonly QueueSample[], sample: QueueSample): QueueSample[] {
  if (history.at(-1)?.at === sample.at) return [...history];
  return [...history, sample].slice(-LONGEST);
}

/** Unfinished versions, whatever their stage. */
export function countWaiting(counts: Readonly<Partial<Record<string, number>>>): number {
  return Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
