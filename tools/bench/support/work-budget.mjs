import { parseArgs } from 'node:util';
import { say, table } from './report.mjs';
import { TrafficCounter } from './traffic-counter.mjs';

const PROTOCOLS = { database: 'postgres', index: 'http', retrieval: 'http2', queue: 'redis' };
const DEFAULT_PORTS = { database: 5432, index: 9200, queue: 6379 };

/** What services make other servers do, counted on the wire: each server is reached through a counter of its own. */
export class CountedServers {
  #counters = new Map();

  /** For `BenchStack.install`. */
  relay = async (name, url) => {
    const reached = new URL(url);
    const port = Number(reached.port || DEFAULT_PORTS[name]);
    const counter = await TrafficCounter.start({ host: reached.hostname, port, protocol: PROTOCOLS[name] });
    this.#counters.set(name, counter);
    reached.host = `127.0.0.1:${counter.port}`;
    return reached.href.replace(/\/$/, '');
  };

  /** What `work` made them do: `(name, what) => number`, `what` of `requests`, `sent` and `received`. */
  async during(work) {
    const before = this.#read();
    await work();
    const after = this.#read();
    return (name, what) => after[name][what] - before[name][what];
  }

  async close() {
    await Promise.all([...this.#counters.values()].map((counter) => counter.close()));
  }

  #read() {
    return Object.fromEntries([...this.#counters].map(([name, { counts }]) => [name, counts]));
  }
}

/** `budget` with what the command line says otherwise; ends the process on a name or a number that makes no sense. */
export function readBudget(budget, help) {
  const { values } = parseArgs({
    options: { budget: { type: 'string', default: '' }, help: { type: 'boolean', short: 'h' } },
  });
  const given = values.budget.split(',').filter(Boolean);
  const pairs = given.map((pair) => pair.split('='));
  if (values.help || pairs.some(([name, number]) => !(name in budget) || !(Number(number) >= 0))) {
    console.log(help);
    process.exit(values.help ? 0 : 2);
  }
  return { ...budget, ...Object.fromEntries(pairs.map(([name, number]) => [name, Number(number)])) };
}

/** The least of several rounds: what a timer of the services does now and then is no part of the work. */
export function leastOf(rounds) {
  return Object.fromEntries(
    Object.keys(rounds[0]).map((name) => [name, Math.min(...rounds.map((round) => round[name]))]),
  );
}

/** Prints the table, and ends with 1 when something is above its budget. */
export function reportBudget(what, measured, budget) {
  const over = Object.keys(budget).filter((name) => measured[name] > budget[name]);
  const rows = Object.entries(budget).map(([name, most]) => [
    name,
    measured[name].toFixed(name.startsWith('KB') ? 1 : 2),
    String(most),
    over.includes(name) ? '**no**' : 'yes',
  ]);
  console.log(table([what, 'counted', 'budget', 'within'], rows));
  if (over.length > 0) {
    say(`above the budget: ${over.join(', ')}`);
    process.exitCode = 1;
  }
}
