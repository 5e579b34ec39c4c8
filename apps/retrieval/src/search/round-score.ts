/** The public score: cosine in 0–1, four decimals. */
export function roundScore(cosine: number): number {
  return Math.round(Math.min(1, Math.max(0, cosine)) * 10_000) / 10_000;
}
