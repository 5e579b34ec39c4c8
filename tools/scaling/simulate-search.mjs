import { logNormal, makeRandom, nextArrival, quantile } from './random.mjs';

/**
 * Searches that come at random to replicas of retrieval. Each search takes processor time of one core of its replica (the
 * embedding; one after the other in the model's threads) and then waits for the index, which takes others beside it.
 * gRPC goes round the replicas without knowing who is busy, which is what a formula for one shared queue leaves out.
 *
 * @param options.rate       searches a second
 * @param options.replicas   of retrieval
 * @param options.cores      that a replica may use
 * @param options.computeMs  median processor time of a search
 * @param options.indexMs    median time of the index and the recheck
 * @param options.slowMs     one replica takes so much longer to compute, ms (a noisy neighbour); default 0
 * @returns p50, p99 in ms and the share of time that the cores worked
 */
export function simulateSearch({ rate, replicas, cores, computeMs, indexMs, slowMs = 0, searches = 20_000, seed = 1 }) {
  const random = makeRandom(seed);
  /** When each core of each replica is free again. */
  const freeAt = Array.from({ length: replicas }, () => new Array(cores).fill(0));
  const latencies = [];
  let now = 0;
  let worked = 0;
  for (let index = 0; index < searches; index += 1) {
    now += nextArrival(random, rate / 1_000);
    const replica = index % replicas;
    const own = freeAt[replica];
    const core = own.indexOf(Math.min(...own));
    const compute = logNormal(random, computeMs, SPREAD) + (replica === 0 ? slowMs : 0);
    const started = Math.max(now, own[core]);
    own[core] = started + compute;
    worked += compute;
    latencies.push(started + compute + logNormal(random, indexMs, SPREAD) - now);
  }
  // The first tenth fills the queues.
  const settled = latencies.slice(searches / 10);
  return { p50: quantile(settled, 0.5), p99: quantile(settled, 0.99), busy: worked / (now * replicas * cores) };
}

/** Measured: p99 is about twice the median of a single client's searches (docs/reference/speed.md), e^(2.33 · 0.35) = 2.3. */
const SPREAD = 0.35;
