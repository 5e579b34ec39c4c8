import { SMOKE, VALIDATORS } from './validators.mjs';

const smoke = process.env.MUTATION_SMOKE === 'true';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  packageManager: 'npm',
  plugins: ['@stryker-mutator/jest-runner'],
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules'],
  jest: { projectType: 'custom', configFile: 'tools/mutation/jest.config.mjs', enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  mutate: smoke ? SMOKE : VALIDATORS,
  // Messages and names of errors: their words aren't behavior. Field names are covered by a test for each field.
  mutator: { excludedMutations: ['StringLiteral'] },
  // The sandbox is a copy: only what the specs need.
  ignorePatterns: [
    '/*',
    '!/libs',
    '/libs/*',
    '!/libs/contracts',
    '!/libs/reasoning',
    '**/dist',
    '**/out-tsc',
    '!/tools',
    '/tools/*',
    '!/tools/mutation',
    '!/*.mjs',
    '!/.swcrc',
    '!/package.json',
    '!/tsconfig.base.json',
  ],
  tempDirName: '.candor/mutation',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
  jsonReporter: { fileName: '.candor/mutation-report.json' },
  concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 2),
  timeoutMS: 60_000,
  thresholds: { high: 100, low: 100, break: 100 },
  allowEmpty: false,
};
