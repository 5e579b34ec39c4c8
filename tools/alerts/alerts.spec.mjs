import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments, stringify } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));
const RULES = 'deploy/prometheus/rules.yml';
const TESTS = 'deploy/prometheus/rules.test.yml';
const read = (path) => readFileSync(join(root, path), 'utf8');

const rules = parse(read(RULES)).groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert);
const tests = parse(read(TESTS)).tests;
const dashboards = readdirSync(join(root, 'deploy/dashboards')).map((file) => ({
  file,
  ...JSON.parse(read(`deploy/dashboards/${file}`)),
}));
const targets = dashboards.flatMap(({ panels }) => panels.flatMap((panel) => panel.targets));
const queries = parseAllDocuments(read('k8s/components/queue-autoscaling/scaled-objects.yaml')).flatMap((document) =>
  document.toJS().spec.triggers.map(({ metadata }) => metadata.query),
);
/** What the page on objectives tells to compute, by the name that stands above it. */
const objectives = Object.fromEntries(
  /```promql\n([^]+?)```/
    .exec(read('docs/guides/slo.md'))[1]
    .split('\n\n')
    .map((block) => /^# ([\w ]+).*\n([^]+)$/.exec(block).slice(1)),
);
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...targets.map(({ expr }) => expr),
  ...queries,
  ...Object.values(objectives),
];

const hasGo = spawnSync('go', ['version']).status === 0;
const mustRun = hasGo || process.env.CI === 'true';
if (!mustRun) console.warn('SKIPPED alert rules and dashboards are not evaluated: Go is not installed');

(mustRun ? describe : describe.skip)('evaluated by Prometheus', () => {
  let program;
  beforeAll(() => {
    program = execFileSync(join(root, 'tools/alerts/build.sh'), { encoding: 'utf8' }).trim();
    // A first run compiles Prometheus' engine.
  }, 900_000);
  const check = (rulesFile) => spawnSync(program, [rulesFile, join(root, TESTS)], { encoding: 'utf8' });
  /** What of these, given as name and expression, doesn't hold for an hour of these series. */
  const findFalse = (statements, series) => {
    const folder = mkdtempSync(join(tmpdir(), 'candor-statements-'));
    const path = (name) => join(folder, name);
    const made = statements.map(([alert, expr]) => ({ alert, expr }));
    const recorded = rules.filter(({ record }) => record);
    writeFileSync(path('rules.yml'), stringify({ groups: [{ name: 'made', rules: [...recorded, ...made] }] }));
    const input_series = series.map(([name, values]) => ({ series: name, values }));
    const made_tests = made.map(({ alert }) => ({
      name: alert,
      interval: '1m',
      input_series,
      eval_time: '60m',
      alertname: alert,
      fires: [{}],
    }));
    writeFileSync(path('tests.yml'), stringify({ tests: made_tests }));
    const { stdout, stderr } = spawnSync(program, [path('rules.yml'), path('tests.yml')], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(stderr).toBe('');
    expect(stdout.match(/^(ok|FAILED) /gm)).toHaveLength(made.length);
    return [...stdout.matchAll(/^FAILED (\S+)/gm)].map(([, name]) => name);
  };

  it('alerts fire when they have to, and only then', () => {
    const { stdout, stderr, status } = check(join(root, RULES));
    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((line) => line.startsWith('FAILED'))).toEqual([]);
    expect(stdout.match(/^ok /gm)).toHaveLength(tests.length);
    expect(status).toBe(0);
  });

  it.each([
    ['a threshold that is too high', '> 14.4 * 0.001', '> 144 * 0.001', /^FAILED CandorErrorBudgetBurnsFast/m],
    ['a label that no metric has', 'outcome="park"', 'outcome="parked"', /^FAILED CandorJobsParked/m],
    ['a job of a schedule that counts as work', ', job_name!="source.due"', '', /^FAILED CandorOutboxStuck/m],
    ['a reply that is not counted', '(nothing_cited)?', '', /^FAILED CandorCitationsDropped/m],
    ['an expression that does not parse', 'max by (app, check) (', 'max by (app, check (', /parse error/],
  ])('tells %s', (_, from, to, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'candor-rules-'));
    writeFileSync(join(folder, 'rules.yml'), read(RULES).replaceAll(from, to));
    const { stdout, stderr, status } = check(join(folder, 'rules.yml'));
    rmSync(folder, { recursive: true });
    expect(stdout + stderr).toMatch(message);
    expect(status).toBe(1);
  });

  it('availability is known before anything has failed, and when nothing else happens', () => {
    const ok = ['candor_http_requests_total{app="gateway",route="/v1/search",status="200"}', '0+100x60'];
    const failed = ['candor_http_requests_total{app="gateway",route="/v1/search",status="503"}', '0+100x60'];
    const ratios = rules.flatMap(({ record }) => (record?.includes('errors_ratio') ? [record] : []));
    expect(ratios).toHaveLength(3);
    const panel = targets
      .find(({ legendFormat }) => legendFormat === 'all routes')
      .expr.replaceAll('$__rate_interval', '5m');
    const are = (share) => [
      ...ratios.map((record) => [record.replaceAll(':', '_'), `${record} == ${share}`]),
      ['panel', `(${panel}) == ${share}`],
      ['availability', `(${objectives['availability']}) == 1 - ${share}`],
    ];
    expect(findFalse(are(0), [ok])).toEqual([]);
    expect(findFalse(are(0.5), [ok, failed])).toEqual([]);
    expect(findFalse(are(1), [failed])).toEqual([]);
    expect(findFalse(are(0), [ok, failed])).toHaveLength(ratios.length + 2);
  });

  it('rules, dashboards and the autoscalers’ queries parse, and ask for our own metrics and those of Node alone', () => {
    const input = JSON.stringify(expressions.map((expr) => expr.replaceAll('$__rate_interval', '5m')));
    const { stdout, stderr } = spawnSync(program, ['metrics'], { input, encoding: 'utf8' });
    expect(stderr).toBe('');
    const names = JSON.parse(stdout);
    expect(names).toHaveLength(expressions.length);
    const recorded = rules.flatMap(({ record }) => record ?? []);
    // That they are exported under these names is seen on running services: apps/e2e/src/fleet.
    for (const name of names.flat()) if (!recorded.includes(name)) expect(name).toMatch(/^(candor|nodejs|process)_/);
    expect(names.every((list) => list.length > 0)).toBe(true);
  });
});

it('rules, dashboards and the autoscalers’ queries go by no label that Prometheus sets at the scrape', () => {
  const legends = targets.map(({ legendFormat }) => legendFormat);
  const summaries = alerts.flatMap(({ annotations }) => annotations.summary.match(/\$labels\.\w+/g) ?? []);
  expect(queries).toHaveLength(2);
  for (const text of [...expressions, ...legends, ...summaries]) expect(text).not.toMatch(/\b(job|instance)\b/);
});

it('what tells a stop counts every job that comes through the outbox, and none that comes without', () => {
  const names = [...read('docs/reference/jobs.md').matchAll(/^\| `([\w.-]+)`/gm)].map(([, name]) => name);
  const { expr } = alerts.find(({ alert }) => alert === 'CandorOutboxStuck');
  const [, taken, left] = /job_name=~"([^"]+)", job_name!="([^"]+)"/.exec(expr);
  const counts = (name) => new RegExp(`^(?:${taken})$`).test(name) && name !== left;
  // Asked by the gateway, or sent by a schedule.
  expect(names.filter((name) => !counts(name))).toEqual([
    'reasoning.answer',
    'reasoning.run',
    'source.due',
    'audit.seal',
    'retention.apply',
    'erasure.run',
  ]);
});

describe('alert rules', () => {
  it('have a test that fires and one that is silent, each', () => {
    for (const { alert } of alerts) {
      const own = tests.filter(({ alertname }) => alertname === alert);
      expect([alert, own.some(({ fires }) => fires.length > 0), own.some(({ fires }) => fires.length === 0)]).toEqual([
        alert,
        true,
        true,
      ]);
    }
  });

  it('wait before they tell, say how urgent they are, and link to a paragraph that exists', () => {
    const runbooks = read('docs/guides/runbooks.md');
    for (const { alert, labels, annotations, ...rule } of alerts) {
      expect([alert, rule.for !== undefined, ['page', 'ticket'].includes(labels.severity)]).toEqual([
        alert,
        true,
        true,
      ]);
      expect(annotations.runbook_url).toBe(`docs/guides/runbooks.md#${alert.toLowerCase()}`);
      expect(runbooks).toMatch(new RegExp(`^## ${alert}$`, 'm'));
    }
    const paragraphs = [...runbooks.matchAll(/^## (Candor\w+)$/gm)].map(([, name]) => name);
    expect(paragraphs.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });
});

describe('dashboards', () => {
  it.each(dashboards.map((dashboard) => [dashboard.file, dashboard]))(
    '%s can be imported as it is',
    (file, dashboard) => {
      expect(dashboard.uid).toBe(`candor-${file.replace('.json', '')}`);
      expect(dashboard.templating.list).toEqual([expect.objectContaining({ name: 'datasource', type: 'datasource' })]);
      const ids = dashboard.panels.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const panel of dashboard.panels) {
        expect(panel.title).not.toBe('');
        expect(panel.datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
        expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
        expect(panel.targets.length).toBeGreaterThan(0);
      }
    },
  );

  it('group by nothing that has no bound: no tenant, no id, no key', () => {
    for (const expression of expressions) expect(expression).not.toMatch(/tenant|\bid\b|request_?id|api_?key/i);
  });
});
