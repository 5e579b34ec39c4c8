/** Numbers that only look random: the same seed gives the same run on every machine. (mulberry32) */
export function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Time until the next of events that don't know of each other, `rate` of them in one unit of time. */
export function nextArrival(random, rate) {
  return -Math.log(1 - random()) / rate;
}

/** A log-normal value with this median; `spread` is the standard deviation of its logarithm. */
export function logNormal(random, median, spread) {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return median * Math.exp(spread * radius * Math.cos(2 * Math.PI * random()));
}

export function quantile(values, share) {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
