import { performance } from 'node:perf_hooks';
import { quantile } from './rank-metrics.mjs';

/**
 * Two sides answer the same queries in turns, so that whatever else the machine does meets both. Within one call no
 * query is asked twice of a side.
 *
 * @param sides `{ candor, raw }`, each `(query) => Promise`.
 * @param spent `{ candor, raw }`, each `() => number`: processor time of the side's processes so far, ms; NaN = unknown.
 * @returns per side the latencies (ms) and requests a second, and the ratios of the medians, over all and by round.
 */
export async function alternateRounds({ sides, spent, queries, clients, rounds }) {
  const size = Math.floor(queries.length / rounds);
  if (size < clients) throw new Error(`too few queries: ${queries.length} for ${rounds} rounds of ${clients} clients`);
  const measured = { candor: { times: [], seconds: 0, spent: 0 }, raw: { times: [], seconds: 0, spent: 0 } };
  const ratios = [];
  for (let round = 0; round < rounds; round++) {
    const asked = queries.slice(round * size, (round + 1) * size);
    const order = round % 2 === 0 ? ['candor', 'raw'] : ['raw', 'candor'];
    const medians = {};
    for (const side of order) {
      const started = performance.now();
      const spentBefore = spent[side]();
      const times = await runClients(sides[side], asked, clients);
      measured[side].spent += spent[side]() - spentBefore;
      measured[side].seconds += (performance.now() - started) / 1_000;
      measured[side].times.push(...times);
      medians[side] = quantile(times, 0.5);
    }
    ratios.push(medians.candor / medians.raw);
  }
  return {
    clients,
    requests: size * rounds,
    candor: summarize(measured.candor),
    raw: summarize(measured.raw),
    ratio: quantile(measured.candor.times, 0.5) / quantile(measured.raw.times, 0.5),
    roundRatios: ratios,
  };
}

async function runClients(ask, queries, clients) {
  const times = [];
  let next = 0;
  const client = async () => {
    while (next < queries.length) {
      const query = queries[next++];
      const started = performance.now();
      await ask(query);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return times;
}

function summarize({ times, seconds, spent }) {
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    perSecond: times.length / seconds,
    spent: spent / times.length,
  };
}
