/**
 * `npm test`: everything CI checks, from a fresh clone. Only Node's own modules until the packages are installed.
 * Arguments go to jest and leave the other checks out, e.g. `npm test -- --selectProjects queue`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BootstrapError } from './bootstrap/bootstrap.error.mjs';
import { buildSources } from './bootstrap/build-sources.mjs';
import { requireSupportedNode } from './bootstrap/check-node-version.mjs';
import { killChildren, runCommand } from './bootstrap/child-processes.mjs';
import { installPackages } from './bootstrap/install-packages.mjs';
import { TestCounts } from './test-run/test-counts.mjs';
import { startTestServices } from './test-run/test-services.mjs';

const BUILT = ['tools/services/dist/index.js', 'tools/models/dist/index.js', 'apps/console/dist/index.html'];
/** [what, command line below node_modules]; the longest one beside all others. */
const CHECK_LANES = [
  [['lint', ['eslint/bin/eslint.js', '.', '--max-warnings', '0']]],
  [
    ['format', ['prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.']],
    ['types of the tests', ['typescript/bin/tsc', '-p', 'tsconfig.lint.json']],
    ['types of the console', ['typescript/bin/tsc', '-p', 'apps/console/tsconfig.lib.json']],
    ['mutants of boundary checks', ['@stryker-mutator/core/bin/stryker.js', 'run', 'tools/mutation/smoke.config.mjs']],
  ],
];
/** The end-to-end suite starts whole profiles, which wait most of their time: it goes after the others, two at a time. */
const JEST_RUNS = [
  ['--ignoreProjects', 'e2e', '--maxWorkers', '2'],
  ['--selectProjects', 'e2e', '--maxWorkers', '2'],
];

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (line) => console.log(`test: ${line}`);
const counts = new TestCounts();
let interrupted = false;

function interrupt(signal) {
  if (!interrupted) say(`${signal}: stopping`);
  interrupted = true;
  killChildren(signal);
}

async function runChecks(lane) {
  for (const [name, [script, ...args]] of lane) {
    if (interrupted) return;
    const started = Date.now();
    const { code, output } = await runCommand(process.execPath, [join(root, 'node_modules', script), ...args], {
      cwd: root,
      capture: true,
    });
    if (interrupted) return;
    if (code === 0) counts.pass();
    else counts.fail(name, output.trim());
    say(`${name}: ${code === 0 ? 'ok' : 'FAILED'} (${Math.round((Date.now() - started) / 1000)} s)`);
  }
}

async function runJest(args, variables) {
  const folder = join(root, '.candor');
  mkdirSync(folder, { recursive: true });
  const reportFile = join(folder, `jest-${process.pid}.json`);
  const env = { ...process.env, ...variables, NODE_OPTIONS: withVmModules(process.env.NODE_OPTIONS) };
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  try {
    const { code } = await runCommand(
      process.execPath,
      [jest, '--json', '--outputFile', reportFile, '--passWithNoTests', ...args],
      { cwd: root, env },
    );
    if (interrupted) return;
    const failedBefore = counts.failed;
    if (existsSync(reportFile)) counts.addJestReport(JSON.parse(readFileSync(reportFile, 'utf8')));
    if (code !== 0 && counts.failed === failedBefore) counts.fail(`jest ${args.join(' ')}`, `exit code ${code}`);
  } finally {
    rmSync(reportFile, { force: true });
  }
}

function withVmModules(options = '') {
  return options.includes('--experimental-vm-modules') ? options : `${options} --experimental-vm-modules`.trim();
}

async function run(jestArguments) {
  const isWhole = jestArguments.length === 0;
  await installPackages(root, say, { needsTools: true });
  if (interrupted) return;
  await buildSources(root, BUILT, say);
  if (interrupted) return;
  counts.pass();
  say('starting Postgres, Redis, Elasticsearch');
  const starting = startTestServices(root, { say, counts, strict: process.env.CI === 'true' });
  const [services] = await Promise.all([starting, ...(isWhole ? CHECK_LANES.map(runChecks) : [])]);
  try {
    for (const args of isWhole ? JEST_RUNS : [jestArguments]) {
      if (!interrupted) await runJest(args, services.variables);
    }
  } finally {
    await services.stop();
  }
}

/** Without the frames that are nobody's code here. */
function shorten(message) {
  const lines = message.replaceAll(root, '').split('\n');
  return lines.filter((line) => !/^\s+at .*(node_modules\/|node:internal\/)/.test(line)).join('\n');
}

function report() {
  for (const { name, message } of counts.failures) {
    console.log(`\nFAILED ${name.replace(root, '')}\n${shorten(message)}`);
  }
  for (const { name, reason } of counts.skips) console.log(`\nSKIPPED whatever needs ${name}: ${reason}`);
  if (interrupted) console.log('\ninterrupted');
  console.log(`\n${counts}`);
}

requireSupportedNode();
process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);
try {
  await run(process.argv.slice(2));
} catch (error) {
  if (!interrupted) counts.fail('npm test', error instanceof BootstrapError ? error.message : error.stack);
}
report();
// Not left to the last handle: a server's open socket must not keep a finished run alive.
process.exit(interrupted ? 130 : counts.isGood ? 0 : 1);
