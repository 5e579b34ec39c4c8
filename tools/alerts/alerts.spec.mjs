import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

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
const expressions = [...rules.map(({ expr }) => expr), ...targets.map(({ expr }) => expr), ...queries];

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
    ['an expression that does not parse', 'max by (app, check) (', 'max by (app, check (', /parse error/],
  ])('tells %s', (_, from, to, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'candor-rules-'));
    writeFileSync(join(folder, 'rules.yml'), read(RULES).replaceAll(from, to));
    const { stdout, stderr, status } = check(join(folder, 'rules.yml'));
    rmSync(folder, { recursive: true });
    expect(stdout + stderr).toMatch(message);
    expect(status).toBe(1);
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
