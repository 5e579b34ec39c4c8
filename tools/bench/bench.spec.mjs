import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const MODEL_DIRECTORY = process.env.CANDOR_MODEL_DIR;
const MODEL = MODEL_DIRECTORY ? 'bge-small-en-v1.5-q' : 'hashing';
const run = promisify(execFile);

let cache;
beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'candor-bench-cache-'));
});
afterAll(() => rm(cache, { recursive: true, force: true }));

async function runBench(name, ...args) {
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const env = { ...inherited, CANDOR_BENCH_CACHE: cache };
  const script = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  const { stdout } = await run(process.execPath, [script, ...args], { env });
  return stdout;
}

/** The cells of every row of the tables in a report, without the heads. */
function rowsOf(report) {
  return report
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('| ---'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.replaceAll('*', '').trim()),
    );
}

const numberIn = (cell) => Number.parseFloat(cell);

const missing = ['DATABASE_URL', 'REDIS_URL', 'ELASTICSEARCH_URL'].filter((name) => !process.env[name]);
if (missing.length > 0) {
  const message = `${missing.join(' and ')} not set: the benchmarks on real servers can't be tried.`;
  if (process.env.CI === 'true') throw new Error(message);
  console.warn(`SKIPPED: ${message}`);
}
const withServers = missing.length > 0 ? describe.skip : describe;

describe('bench:quality', () => {
  it('prints each ranking of each set beside its legs', async () => {
    const report = await runBench('quality', '--set', 'smoke', '--index', 'lancedb', '--model', MODEL);
    const [head, row] = rowsOf(report);
    expect(head.slice(5, 10)).toEqual(['fused', 'default order', 'dense leg', 'BM25 leg', 'BM25, whole documents']);
    expect(row.slice(0, 5)).toEqual(['Smoke', 'lancedb', '16 / 16', '16', 'recall@10']);
    // Each question shares words with the one document that answers it; a broken path finds none.
    for (const cell of row.slice(5, 10)) expect(numberIn(cell)).toBeGreaterThan(0.6);
    expect(row[11]).toBe('yes');
    expect(head.slice(14)).toEqual(['fused, above the floor', 'first hit right: fused / default order']);
    expect(row[14]).not.toContain('NaN');
    expect(row[15]).toMatch(/^\d\.\d{3} \/ \d\.\d{3}$/);
  });

  it('refuses a set that does not exist', async () => {
    await expect(runBench('quality', '--set', 'nonsense')).rejects.toMatchObject({ code: 2 });
  });
});

withServers('the benchmarks on real servers', () => {
  it('quality: ranks the same set on Elasticsearch', async () => {
    const report = await runBench('quality', '--set', 'smoke', '--index', 'elasticsearch', '--model', MODEL);
    const [, row] = rowsOf(report);
    expect(row.slice(0, 2)).toEqual(['Smoke', 'elasticsearch']);
    for (const cell of row.slice(5, 10)) expect(numberIn(cell)).toBeGreaterThan(0.6);
  });

  it('search: prints both sides and their ratio, for each number of clients and each index', async () => {
    const report = await runBench('search', '--sample', '--clients', '1,2', '--model', 'hashing');
    const processes = ['process', 'gateway', 'retrieval'];
    const rows = rowsOf(report).filter(([first]) => first !== 'clients' && !processes.includes(first));
    // Elasticsearch with the documents alone and with others around them, then LanceDB.
    expect(rows.map(([clients, side]) => [clients, side])).toEqual(
      [1, 2, 3].flatMap(() => [
        ['1 (2 requests)', 'Candor'],
        ['', 'raw'],
        ['2 (4 requests)', 'Candor'],
        ['', 'raw'],
      ]),
    );
    const [alone, filledUp] = [...report.matchAll(/^### ([\d,]+) chunks$/gm)].map(([, count]) => numberIn(count));
    expect(filledUp).toBeGreaterThan(alone);
    for (const row of rows) expect(Math.min(...row.slice(2, 5).map(numberIn))).toBeGreaterThan(0);
    for (const row of rows.filter(([, side]) => side === 'Candor')) expect(numberIn(row[6])).toBeGreaterThan(0);
    expect(report).toMatch(/2 clients for \d+ s, every query another one: \d+ requests, \*\*0 failed\*\*/);
    for (const [, ...numbers] of rowsOf(report).filter(([first]) => processes.slice(1).includes(first)))
      for (const number of numbers) expect(numberIn(number)).toBeGreaterThan(0);
  });

  it('search-work: a search makes no more round trips and moves no more bytes than its budget', async () => {
    const [head, ...rows] = rowsOf(await runBench('search-work'));
    expect(head).toEqual(['one search', 'counted', 'budget', 'within']);
    expect(rows.map(([name]) => name).slice(0, 3)).toEqual([
      'database round trips',
      'index requests',
      'retrieval calls',
    ]);
    for (const [name, counted, , isWithin] of rows) {
      expect([name, isWithin]).toEqual([name, 'yes']);
      expect(numberIn(counted)).toBeGreaterThan(0);
    }
    const tooLittle = runBench('search-work', '--budget', 'database round trips=2,KB from the index=1');
    await expect(tooLittle).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('above the budget: database round trips, KB from the index'),
    });
  });

  it('pipeline-work: a document and an answer make other servers do no more than their budget', async () => {
    const [head, ...rows] = rowsOf(await runBench('pipeline-work'));
    expect(head).toEqual(['work', 'counted', 'budget', 'within']);
    expect(rows.map(([name]) => name)).toEqual([
      'a document: round trips to the database',
      'a document: index requests',
      'a document: commands to Redis',
      'an answer: round trips to the database',
      'an answer: index requests',
      'an answer: retrieval calls',
      'an answer: commands to Redis',
    ]);
    for (const [name, counted, , isWithin] of rows) {
      expect([name, isWithin]).toEqual([name, 'yes']);
      expect(numberIn(counted)).toBeGreaterThan(0);
    }
    // That going over a budget fails is shown above: both hold their counts to it in one place.
  }, 240_000);

  it('reason-speed: an answer beside its parts and the queue, for each number of clients', async () => {
    const sample = ['--set', 'smoke', '--model', 'hashing', '--clients', '1,2', '--questions', '4', '--rounds', '1'];
    const [head, ...rows] = rowsOf(await runBench('reason-speed', ...sample));
    expect(head[0]).toBe('clients');
    expect(rows.map(([clients]) => clients)).toEqual(['1 (4 questions)', '2 (4 questions)']);
    // Of ratio and difference nothing is known on so few questions.
    for (const row of rows) for (const cell of [1, 2, 3, 4, 6]) expect(numberIn(row[cell])).toBeGreaterThan(0);
  });

  it('recall: compares what the graph finds with the truth, under each filter', async () => {
    const report = await runBench('recall', '--chunks', '1500', '--queries', '5');
    // Before the table of what was tried once.
    const [, ...rows] = rowsOf(report.split('## Why')[0]);
    expect(rows).toHaveLength(14);
    expect(rows[0].slice(1, 3)).toEqual(['none', '1500 (100 %)']);
    expect(rows.slice(7).map(([segments]) => segments)).toEqual(Array.from({ length: 7 }, () => '1'));
    // So small a graph is searched nearly whole; a broken filter or comparison finds little of the truth.
    for (const row of rows) expect(numberIn(row[3])).toBeGreaterThan(0.9);
  });

  it('ingest: prints both rates and their ratio', async () => {
    const report = await runBench('ingest', '--sample', '--model', 'hashing');
    const [, ...rows] = rowsOf(report);
    expect(rows.map((row) => row.slice(0, 4))).toEqual(
      [
        ['abstracts', '16 / 16'],
        ['pages', expect.stringMatching(/^2 \/ \d+$/)],
        ['long', expect.stringMatching(/^1 \/ \d+$/)],
      ].flatMap((shape) => [
        ['hashing', ...shape, 'Candor'],
        ['', '', '', 'raw'],
        ['', '', '', 'raw, packed'],
      ]),
    );
    for (const row of rows) expect(numberIn(row[4])).toBeGreaterThan(0);
    for (const row of rows.filter(([, , , side]) => side !== 'raw')) expect(numberIn(row[5])).toBeGreaterThan(0);
  });
});
