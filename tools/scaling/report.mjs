// node tools/scaling/report.mjs: computes the tables of docs/scaling.md and puts them between their markers.
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { readSearchSpeed } from './measured.mjs';
import { simulateBurst } from './simulate-burst.mjs';
import { simulateSearch } from './simulate-search.mjs';
import { BYTES, sizeAuditTrail, sizeCluster, sizeDatabase, tenantsPerCluster } from './size-cluster.mjs';

const DOCUMENT = fileURLToPath(new URL('../../docs/scaling.md', import.meta.url));

const rows = (head, lines) =>
  [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const whole = (value) => Math.round(value).toLocaleString('en-US');

const SPEED = readSearchSpeed();
const LARGEST = SPEED.at(-1);
const CLIENTS = 64;
/** Processor time of a query's embedding, ms: docs/reference/speed.md, "Where the time goes". */
const EMBEDDING_MS = 7;
/** The same page: embedding and retrieval's main thread; what the raw client waits for the index when it asks alone. */
export const SEARCH = { cores: 2, computeMs: 14, indexMs: Math.round(LARGEST.clients[1].rawP50 - EMBEDDING_MS) };
const CORE_HOUR = 0.04;
/** Of a node of 64 GiB. */
const NODE_CORES = 16;
const HOURS_A_MONTH = 730;
/** Mean of the log-normal times over their median, in the simulation. */
const MEAN = Math.exp(0.35 ** 2 / 2);
const REPLICAS = [2, 4, 8];
const LOADS = [0.3, 0.5, 0.7, 0.8, 0.9];

export const TABLES = {
  cluster: () =>
    rows(
      [
        'chunks',
        'dimensions',
        'in memory',
        'disk',
        'primary shards of one tenant, live + history',
        'largest shard',
        'nodes of 64 GiB',
        'Postgres',
      ],
      [
        [10e6, 384],
        [10e6, 1024],
        [100e6, 384],
        [1e9, 384],
        [1e9, 1024],
      ].map(([chunks, dimensions]) => {
        const size = sizeCluster({ chunks, dimensions });
        const cells = [size.hotGiB, size.diskGiB].map((value) => `${whole(value)} GiB`);
        return [
          whole(chunks),
          dimensions,
          ...cells,
          `${size.primaryShards.live} + ${size.primaryShards.history}`,
          `${whole(size.shardGiB)} GiB`,
          size.nodes,
          `${whole(sizeDatabase(chunks))} GiB`,
        ];
      }),
    ),
  tenants: () =>
    rows(
      ['data nodes', 'tenants, one copy of each shard besides the primary', 'without copies'],
      [3, 6, 12, 24].map((nodes) => [
        nodes,
        whole(tenantsPerCluster({ nodes })),
        whole(tenantsPerCluster({ nodes, replicas: 0 })),
      ]),
    ),
  search: () =>
    rows(
      ['replicas', ...LOADS.map((load) => `${load * 100} % busy`)],
      REPLICAS.map((replicas) => [
        replicas,
        ...LOADS.map((load) => {
          const rate = (load * replicas * SEARCH.cores * 1_000) / (SEARCH.computeMs * MEAN);
          const { p50, p99 } = simulateSearch({ ...SEARCH, replicas, rate });
          return `${whole(rate)}/s: ${whole(p50)} / ${whole(p99)} ms`;
        }),
      ]),
    ),
  burst: () =>
    rows(
      ['order', 'median small tenant', 'slowest small tenant', 'the large one'],
      [
        ['fair shares, as in the product', true],
        ['first come, first served', false],
      ].map(([name, fair]) => {
        const result = simulateBurst({ large: 100_000, smallTenants: 50, small: 20, perSecond: 300, fair });
        return [name, ...[result.median, result.slowest, result.large].map((value) => `${value.toFixed(1)} s`)];
      }),
    ),
  speed: () =>
    rows(
      ['chunks', 'one client, p50 / p99', `searches a second, ${CLIENTS} clients`, 'of a core for each'],
      SPEED.map(({ chunks, clients }) => [
        whole(chunks),
        `${clients[1].p50} / ${clients[1].p99} ms`,
        clients[CLIENTS].perSecond,
        `${whole(coreMsOf(clients))} ms`,
      ]),
    ),
  cost: () =>
    rows(
      ['chunks', 'utilisation of the cores', 'core hours for 1,000,000 searches', `at ${CORE_HOUR} a core hour`],
      SPEED.flatMap(({ chunks, clients }) =>
        [0.9, 0.5, 0.2].map((share) => {
          const hours = (coreMsOf(clients) * 1e6) / 3_600_000 / share;
          return [whole(chunks), `${share * 100} %`, hours.toFixed(1), (hours * CORE_HOUR).toFixed(2)];
        }),
      ),
    ),
  clusterCost: () =>
    rows(
      ['chunks', 'nodes', 'a month', ...[1, 10, 100].map((rate) => `1,000,000 searches at ${rate}/s`)],
      [10e6, 1e9].map((chunks) => {
        const { nodes } = sizeCluster({ chunks, dimensions: 384 });
        const month = nodes * NODE_CORES * HOURS_A_MONTH * CORE_HOUR;
        const perMillion = [1, 10, 100].map((rate) => (month / ((rate * HOURS_A_MONTH * 3_600) / 1e6)).toFixed(2));
        return [whole(chunks), nodes, whole(month), ...perMillion];
      }),
    ),
  audit: () =>
    rows(
      ['searches and questions a second, all day', 'a day', 'a year'],
      [1, 10, 75].map((rate) => [
        rate,
        `${sizeAuditTrail(rate * 86_400).toFixed(1)} GiB`,
        `${whole(sizeAuditTrail(rate * 86_400 * 365))} GiB`,
      ]),
    ),
  bytes: () =>
    rows(
      ['what', 'bytes', ''],
      [
        ['a chunk in Elasticsearch, without its vectors', whole(BYTES.indexed), 'measured'],
        ['a chunk in Postgres, all tables and indices', whole(BYTES.stored), 'measured'],
        ['an event of the audit trail in Postgres, all tables and indices', whole(BYTES.audited), 'measured'],
        ['a waiting job in Redis', whole(BYTES.queued), 'measured'],
      ],
    ),
};

/** Everything shared two cores in that run. */
function coreMsOf(clients) {
  return (2 * 1_000) / clients[CLIENTS].perSecond;
}

/** The document with every table as it is computed now. */
export async function renderDocument() {
  const options = { ...(await resolveConfig(DOCUMENT)), parser: 'markdown' };
  const filled = readFileSync(DOCUMENT, 'utf8').replace(
    /(<!-- table: (\w+) -->\n)[^]*?(<!-- end -->)/g,
    (_, start, name, end) => `${start}\n${TABLES[name]()}\n\n${end}`,
  );
  return format(filled, options);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  writeFileSync(DOCUMENT, await renderDocument());
