import { VALIDATORS } from './validators.mjs';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  packageManager: 'npm',
  plugins: ['./tools/mutation/in-process-runner.mjs'],
  testRunner: 'in-process',
  testRunnerNodeArgs: ['--import', './tools/mutation/register-loader.mjs'],
  coverageAnalysis: 'perTest',
  mutate: VALIDATORS,
  // The words of messages aren't behavior. Field names are strings too: each has a test of its own.
  mutator: { excludedMutations: ['StringLiteral'] },
  // The sandbox is a copy: only what the specs need.
  ignorePatterns: ['/*', '!/libs', '/libs/*', '!/libs/reasoning', '**/dist', '**/out-tsc', '!/package.json'],
  tempDirName: '.candor/mutation',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
  jsonReporter: { fileName: '.candor/mutation-report.json' },
  concurrency: 1,
  // A busy machine is no endless loop; those end at their limit of hits.
  timeoutMS: 300_000,
  thresholds: { high: 100, low: 100, break: 100 },
};
