import { quantile } from './rank-metrics.mjs';

/**
 * Many clients for a while, never the same query twice: whether anything fails, and how the processes bear it.
 *
 * @param ask `(query) => Promise`.
 * @param metrics `{ name: url }` of the processes' Prometheus metrics.
 * @returns latencies in ms, failures by their message, event-loop delay in ms and resident memory in MB of each process.
 */
export async function soak({ ask, queries, clients, seconds, metrics }) {
  const before = await readAll(metrics);
  const times = [];
  const failures = {};
  const started = performance.now();
  const end = started + seconds * 1_000;
  let asked = 0;
  const client = async () => {
    while (performance.now() < end) {
      const number = asked++;
      const query = `${queries[number % queries.length]} ${number}`;
      const sent = performance.now();
      try {
        await ask(query);
        times.push(performance.now() - sent);
      } catch (error) {
        failures[error.message] = (failures[error.message] ?? 0) + 1;
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const took = (performance.now() - started) / 1_000;
  const after = await readAll(metrics);
  return {
    clients,
    seconds: took,
    requests: asked,
    failures,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    perSecond: times.length / took,
    processes: Object.keys(metrics).map((name) => ({
      name,
      delayMean: after[name].nodejs_eventloop_lag_mean_seconds * 1_000,
      delayP99: after[name].nodejs_eventloop_lag_p99_seconds * 1_000,
      memoryBefore: before[name].process_resident_memory_bytes / 1e6,
      memoryAfter: after[name].process_resident_memory_bytes / 1e6,
    })),
  };
}

async function readAll(metrics) {
  const read = Object.entries(metrics).map(async ([name, url]) => [name, await readMetrics(url)]);
  return Object.fromEntries(await Promise.all(read));
}

const PLAIN_VALUE = /^([a-z_0-9]+)(?:\{app="[^"]*"\})? ([\d.e+-]+)$/i;

/** Values without labels of their own, by name; reading also starts the event loop's histogram anew. */
async function readMetrics(url) {
  const text = await (await fetch(url)).text();
  const values = text.split('\n').flatMap((line) => {
    const [, name, value] = PLAIN_VALUE.exec(line) ?? [];
    return name === undefined ? [] : [[name, Number(value)]];
  });
  return Object.fromEntries(values);
}
