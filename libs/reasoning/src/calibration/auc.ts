/** Quantile of the normal distribution: two-sided 95 %. */
const Z_95 = 1.96;

/** Probability that a positive scores higher than a negative; ties count half (Mann and Whitney). */
export function computeAuc(positives: readonly number[], negatives: readonly number[]): number {
  const ranked = [
    ...positives.map((score) => ({ score, positive: true })),
    ...negatives.map((score) => ({ score, positive: false })),
  ].sort((left, right) => left.score - right.score);
  let rankSum = 0;
  for (let from = 0; from < ranked.length;) {
    let to = from;
    while (to < ranked.length && ranked[to]!.score === ranked[from]!.score) to += 1;
    // Equal scores share the mean of the ranks from+1 … to.
    const rank = (from + 1 + to) / 2;
    for (let index = from; index < to; index += 1) if (ranked[index]!.positive) rankSum += rank;
    from = to;
  }
  const smallest = (positives.length * (positives.length + 1)) / 2;
  return (rankSum - smallest) / (positives.length * negatives.length);
}

/** Hanley and McNeil (1982): lower end of the 95 % interval of an AUC, not below 0. */
export function computeAucLowerBound(auc: number, positives: number, negatives: number): number {
  const q1 = auc / (2 - auc);
  const q2 = (2 * auc * auc) / (1 + auc);
  const variance =
    (auc * (1 - auc) + (positives - 1) * (q1 - auc * auc) + (negatives - 1) * (q2 - auc * auc)) /
    (positives * negatives);
  return Math.max(0, auc - Z_95 * Math.sqrt(Math.max(0, variance)));
}
