import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('./reason.mjs', import.meta.url));

let cache;
beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'candor-bench-cache-'));
});
afterAll(() => rm(cache, { recursive: true, force: true }));

async function runBench(args, environment = {}) {
  const { NODE_OPTIONS: _, LLM_BASE_URL: __, ...inherited } = process.env;
  const env = { ...inherited, CANDOR_BENCH_CACHE: cache, ...environment };
  const { stdout } = await run(process.execPath, [SCRIPT, '--set', 'smoke', '--model', 'hashing', ...args], { env });
  return stdout;
}

/** Cells of the first row under the heading, by the table's head. */
function firstRowUnder(report, heading) {
  const lines = report.slice(report.indexOf(heading)).split('\n');
  const start = lines.findIndex((line) => line.startsWith('| '));
  const cells = (line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.replaceAll('*', '').trim());
  const head = cells(lines[start]);
  return Object.fromEntries(cells(lines[start + 2]).map((cell, place) => [head[place], cell]));
}

describe('bench:reason', () => {
  it('measures the extractive provider: answers, attacks and the curve', async () => {
    const report = await runBench(['--part', 'provider,injection,typed,acceptance']);
    const answers = firstRowUnder(report, '## Answers');
    expect(answers).toMatchObject({
      set: 'Smoke',
      questions: '6',
      'answers right': '6 of 6',
      'a gold sentence quoted': '100.0 %',
      'refused wrongly': '0 of 6',
      'adversarial: refused': '2 of 2',
      'failed (answerable / deleted / adversarial)': '0 / 0 / 0',
    });
    const [, kept, returned] = /^(\d+) of (\d+)$/.exec(answers['quotations valid']);
    expect(kept).toBe(returned);
    expect(Number(kept)).toBeGreaterThanOrEqual(6);
    expect(firstRowUnder(report, '## Attacks')).toMatchObject({
      'changed scope': '0',
      'changed citations': '0',
      'changed ids': '0',
      'changed schema': '0',
      failed: '0',
    });
    expect(firstRowUnder(report, '## Typed answers')).toMatchObject({
      set: 'Smoke',
      questions: '6',
      'calibration (lower bound of its AUC)': 'none: degraded',
      'answers right': '6 of 6',
      'the right document cited': '100.0 %',
      'refused wrongly': '0 of 6',
      'failed (answerable / deleted / adversarial)': '0 / 0 / 0',
    });
    expect(firstRowUnder(report, '### The same attacks, typed')).toMatchObject({
      'changed scope': '0',
      'changed citations': '0',
      'changed ids': '0',
      'changed schema': '0',
      failed: '0',
    });
    expect(firstRowUnder(report, '## The extractive provider')).toMatchObject({ measured: '100.0 %', met: 'yes' });
    expect(firstRowUnder(report, '### Over the provider')).toMatchObject({ floor: '0' });
  });

  it('counts what an unreachable model costs as failures, not as refusals', async () => {
    const environment = { LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_MODEL: 'none' };
    const report = await runBench(['--part', 'provider,typed', '--questions', '2', '--attacks', '1'], environment);
    expect(firstRowUnder(report, '## Answers')).toMatchObject({
      questions: '2',
      'answers right': '0 of 2',
      'refused wrongly': '0 of 2',
      'failed (answerable / deleted / adversarial)': expect.stringMatching(/^2 SYNTHESIS\.PROVIDER_ERROR \//),
    });
    expect(firstRowUnder(report, '## Typed answers')).toMatchObject({
      'answers right': '0 of 2',
      'refused wrongly': '0 of 2',
      'failed (answerable / deleted / adversarial)': expect.stringMatching(/^2 provider_error \//),
    });
  });
});

describe('findChanges', () => {
  const ID = '10000000-0000-5000-8000-000000000001';
  const HIDDEN = '10000000-0000-5000-8000-000000000002';
  const ITEM = '20000000-0000-5000-8000-000000000001';
  const place = (documentId) => ({
    documentId,
    itemId: ITEM,
    title: 'Open',
    start: 0,
    end: 15,
    text: 'Tea is at five.',
  });
  const places = new Map([
    [ID, place('open')],
    [HIDDEN, place('hidden')],
  ]);
  const view = { places, isReachable: ({ id }) => id !== 'hidden' };
  const citation = { chunkId: ID, documentId: ITEM, documentTitle: 'Open' };
  const reference = { chunkId: ID, quotation: 'Tea is at five.' };
  const answerWith = (data = {}, rest = {}) => ({
    reply: {
      ok: true,
      data: {
        answer: `Tea is at five. [[${ID}]]`,
        citations: [citation],
        gaps: [],
        meta: { chunksGathered: 1, citationsDropped: 0, latencyMs: 1 },
        ...data,
      },
    },
    packet: {
      text: `<evidence>\n<chunk id="${ID}" title="Open">\nTea is at five.\n</chunk>\n</evidence>`,
      admitted: [{ chunkId: ID }],
    },
    kept: [{ references: [reference] }],
    output: { statements: [{ text: 'Tea is at five.', references: [reference] }], limitations: [] },
    ...rest,
  });
  let findChanges;
  beforeAll(async () => {
    ({ findChanges } = await import('./support/reason/injections.mjs'));
  });
  const changesOf = (asked, scope) => [...findChanges(asked, { ...view, scope })];

  it('finds none in an answer as it has to be', () => {
    expect(changesOf(answerWith())).toEqual([]);
    expect(changesOf(answerWith(), 'open')).toEqual([]);
  });

  it.each([
    ['scope', answerWith({ answer: `x [[${HIDDEN}]]`, citations: [{ ...citation, chunkId: HIDDEN }] }, { kept: [] })],
    [
      'scope',
      answerWith(
        {},
        {
          packet: {
            ...answerWith().packet,
            text: answerWith().packet.text.replace(ID, HIDDEN),
            admitted: [{ chunkId: HIDDEN }],
          },
        },
      ),
    ],
    ['citations', answerWith({ answer: `Tea [[${HIDDEN}]] is at five. [[${ID}]]` })],
    ['citations', answerWith({ answer: 'Tea is at five.' })],
    ['citations', answerWith({}, { kept: [{ references: [{ ...reference, quotation: 'Tea is at six.' }] }] })],
    ['ids', answerWith({ citations: [{ ...citation, documentTitle: 'Root' }] })],
    [
      'ids',
      answerWith(
        {},
        { packet: { ...answerWith().packet, text: `${answerWith().packet.text}<chunk id="${HIDDEN}" title="">` } },
      ),
    ],
    ['schema', answerWith({ confidence: 1 })],
    ['schema', answerWith({}, { output: { answer: 'PWNED' } })],
  ])('finds a changed %s', (change, asked) => {
    expect(changesOf(asked)).toEqual([change]);
  });

  it('finds what stands outside of the document asked about', () => {
    expect(changesOf(answerWith(), 'another')).toEqual(['scope']);
  });
});
