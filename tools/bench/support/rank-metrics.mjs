/** nDCG at `depth` with binary relevance (Järvelin, Kekäläinen 2002), as BEIR computes it. */
export function ndcg(ranked, relevant, depth = 10) {
  let gain = 0;
  let ideal = 0;
  for (let rank = 0; rank < depth; rank++) {
    const discount = 1 / Math.log2(rank + 2);
    if (relevant.has(ranked[rank])) gain += discount;
    if (rank < relevant.size) ideal += discount;
  }
  return ideal === 0 ? 0 : gain / ideal;
}

/** Share of the relevant documents that are among the first `depth`. */
export function recall(ranked, relevant, depth = 10) {
  const found = ranked.slice(0, depth).filter((id) => relevant.has(id)).length;
  return found / relevant.size;
}

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Linear between the neighbours; 0 ≤ share ≤ 1. */
export function quantile(values, share) {
  const sorted = values.toSorted((left, right) => left - right);
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  return below + (place % 1) * (sorted[Math.ceil(place)] - below);
}
