// node tools/scaling/report.mjs: computes the tables of docs/scaling.md and puts them between their markers.
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { simulateBurst } from './simulate-burst.mjs';
import { simulateSearch } from './simulate-search.mjs';
import { BYTES, sizeAuditTrail, sizeCluster, sizeDatabase, tenantsPerCluster } from './size-cluster.mjs';

const DOCUMENT = fileURLToPath(new URL('../../docs/scaling.md', import.meta.url));

const rows = (head, lines) =>
  [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const whole = (value) => Math.round(value).toLocaleString('en-US');

/** docs/reference/speed.md: processor time of a search in the embedding model and in retrieval, index and recheck. */
export const SEARCH = { cores: 2, computeMs: 12, indexMs: 12 };
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
  cost: () => {
    const coreMs = 1_000 / (75.2 / 2);
    return rows(
      ['utilisation of the cores', 'core hours for 1,000,000 searches', 'at 0.04 a core hour'],
      [0.9, 0.5, 0.2].map((share) => {
        const hours = (coreMs * 1e6) / 3_600_000 / share;
        return [`${share * 100} %`, hours.toFixed(1), (hours * 0.04).toFixed(2)];
      }),
    );
  },
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
        ['a chunk in Elasticsearch, without its vectors', whole(BYTES.indexed), 'set'],
        ['a chunk in Postgres, all tables and indices', whole(BYTES.stored), 'set'],
        ['an event of the audit trail in Postgres, all tables and indices', whole(BYTES.audited), 'measured'],
        ['a waiting job in Redis', whole(BYTES.queued), 'measured'],
      ],
    ),
};

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
