/** Seconds until done at the average rate so far; null while nothing has finished, 0 when nothing remains. */
export function estimateSeconds(progress: {
  finished: number;
  remaining: number;
  elapsedSeconds: number;
}): number | null {
  if (progress.remaining === 0) return 0;
  if (progress.finished === 0) return null;
  return Math.ceil((progress.elapsedSeconds / progress.finished) * progress.remaining);
}
