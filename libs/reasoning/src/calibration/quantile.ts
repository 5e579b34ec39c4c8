/** Linear interpolation between the closest ranks; `values` not empty, `share` 0–1. */
export function computeQuantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  const position = (sorted.length - 1) * share;
  const below = Math.floor(position);
  const above = Math.ceil(position);
  const low = sorted[below] ?? Number.NaN;
  return low + ((sorted[above] ?? low) - low) * (position - below);
}
