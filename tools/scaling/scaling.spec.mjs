import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSearchSpeed } from './measured.mjs';
import { makeRandom, nextArrival, quantile } from './random.mjs';
import { simulateBurst } from './simulate-burst.mjs';
import { simulateSearch } from './simulate-search.mjs';
import { DEFAULT_CHUNKS_PER_SHARD } from '../../libs/search-index/dist/elasticsearch/placement.js';
import { BYTES, sizeAuditTrail, sizeCluster, sizeDatabase, tenantsPerCluster } from './size-cluster.mjs';

describe('random numbers', () => {
  it('are the same for a seed, and spread evenly', () => {
    const draw = (seed) => Array.from({ length: 10_000 }, makeRandom(seed));
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    const values = draw(1);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(values.reduce((sum, value) => sum + value) / values.length).toBeCloseTo(0.5, 1);
  });

  it('come at the rate asked for', () => {
    const random = makeRandom(3);
    const gaps = Array.from({ length: 20_000 }, () => nextArrival(random, 4));
    expect(gaps.reduce((sum, gap) => sum + gap) / gaps.length).toBeCloseTo(0.25, 2);
  });

  it('have quantiles', () => {
    expect(quantile([5, 1, 3, 2, 4], 0.5)).toBe(3);
    expect(quantile([1, 2], 0.99)).toBe(2);
  });
});

describe('searches over replicas', () => {
  const base = { replicas: 4, cores: 2, computeMs: 12, indexMs: 12 };

  it('take their own time when nobody else is there, and longer the busier the cores are', () => {
    const idle = simulateSearch({ ...base, rate: 1 });
    expect(idle.p50).toBeGreaterThan(23);
    expect(idle.p50).toBeLessThan(28);
    const p99 = [100, 400, 560].map((rate) => simulateSearch({ ...base, rate }).p99);
    expect(p99).toEqual(p99.toSorted((left, right) => left - right));
  });

  it('say how busy the cores were, as the rate demands', () => {
    // 300 searches a second of 12.8 ms in the mean over eight cores.
    expect(simulateSearch({ ...base, rate: 300 }).busy).toBeCloseTo(0.48, 1);
  });

  it('are as slow as the slowest replica for one in four', () => {
    const even = simulateSearch({ ...base, rate: 200 });
    const slow = simulateSearch({ ...base, rate: 200, slowMs: 20 });
    expect(slow.p50 - even.p50).toBeLessThan(6);
    expect(slow.p99 - even.p99).toBeGreaterThan(20);
  });
});

describe('a burst of one tenant', () => {
  const load = { large: 20_000, smallTenants: 20, small: 20, perSecond: 300 };

  it('hardly delays the others, and itself by no more than their work', () => {
    const fair = simulateBurst({ ...load, fair: true });
    const firstCome = simulateBurst({ ...load, fair: false });
    expect(fair.slowest).toBeLessThan(5);
    expect(firstCome.slowest).toBeGreaterThan(60);
    expect(fair.large - firstCome.large).toBeLessThanOrEqual((load.smallTenants * load.small) / load.perSecond + 0.2);
  });
});

describe('the size of a cluster', () => {
  it('follows the formula for int8 vectors in a graph', () => {
    const { hotGiB } = sizeCluster({ chunks: 2 ** 30, dimensions: 384, replicas: 0 });
    expect(hotGiB).toBe(384 + 4 + 64);
  });

  it('grows with chunks, dimensions and copies, and has a node for each copy', () => {
    const size = (changes) => sizeCluster({ chunks: 1e8, dimensions: 384, ...changes });
    expect(size({ chunks: 2e8 }).hotGiB).toBeCloseTo(2 * size({}).hotGiB);
    expect(size({ dimensions: 1024 }).nodes).toBeGreaterThan(size({}).nodes);
    expect(size({ replicas: 2 }).diskGiB).toBeCloseTo(1.5 * size({}).diskGiB);
    expect(size({ chunks: 1_000, replicas: 2 }).nodes).toBe(3);
  });

  it('has the shards that the product makes for one tenant, for what is live and for its history', () => {
    const shards = (chunks) => sizeCluster({ chunks, dimensions: 384 }).primaryShards;
    expect(shards(DEFAULT_CHUNKS_PER_SHARD)).toEqual({ live: 1, history: 1 });
    expect(shards(20 * DEFAULT_CHUNKS_PER_SHARD)).toEqual({ live: 20, history: 20 });
    expect(shards(1e12)).toEqual({ live: 256, history: 256 });
  });

  it('has room in the database for the chunks and for the audit trail', () => {
    expect(sizeDatabase(2 ** 30)).toBeCloseTo(BYTES.stored * 1.2);
    expect(sizeAuditTrail(2 ** 30)).toBeCloseTo(BYTES.audited * 1.2);
  });

  it('holds as many tenants as it may have shards', () => {
    expect(tenantsPerCluster({ nodes: 3, replicas: 1, rebuilding: 0 })).toBe(750);
    expect(tenantsPerCluster({ nodes: 3 })).toBeLessThan(750);
  });
});

describe('what was measured', () => {
  it('is read from the page of the benchmark, each size of the index by its clients', () => {
    const page = [
      '### 1,385 chunks',
      '',
      '| clients | side | p50 | p99 | requests/s |',
      '| --- | --- | --- | --- | --- |',
      '| 1 (240 requests) | Candor | 30.3 ms | 1,081.3 ms | 29.7 |',
      '| | raw | 16.0 ms | 26.2 ms | 60.2 |',
      '',
      '## Where the time goes',
    ].join('\n');
    expect(readSearchSpeed(page)).toEqual([
      { chunks: 1_385, clients: { 1: { p50: 30.3, p99: 1_081.3, perSecond: 29.7, rawP50: 16 } } },
    ]);
    const published = readSearchSpeed();
    expect(published.map(({ chunks }) => chunks > 1_000)).toEqual([true, true]);
    for (const { clients } of published) expect(Object.keys(clients)).toEqual(['1', '16', '64']);
  });
});

describe('docs/scaling.md', () => {
  it('has the tables that its programs compute', () => {
    const path = fileURLToPath(new URL('../../docs/scaling.md', import.meta.url));
    // Prettier loads its parsers by `import()`, so this runs in a process of its own.
    const script = `const { renderDocument } = await import('./report.mjs'); process.stdout.write(await renderDocument());`;
    const rendered = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
    });
    expect(readFileSync(path, 'utf8')).toBe(rendered);
    expect(rendered.match(/<!-- table: /g)).toHaveLength(9);
  });
});
