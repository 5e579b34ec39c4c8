import { fileURLToPath } from 'node:url';
import { esm } from '../../jest.preset.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Specs that stand beside what they prove, and belong to a promise as well. */
const PROMISE_OF = {
  'libs/audit/src/seal-audit.spec.ts': 'Audit',
  'libs/persistence/src/migrations/upgrade.spec.ts': 'Upgrade',
};

/** Every promise of docs/reference/reliability-coverage.md, one file after the other: they kill servers and measure deadlines. */
export default {
  ...esm,
  displayName: 'faults',
  rootDir: root,
  roots: ['apps/e2e/src/faults', 'libs/audit/src', 'libs/persistence/src/migrations'].map(
    (path) => `<rootDir>/${path}`,
  ),
  testMatch: [
    '<rootDir>/apps/e2e/src/faults/**/*.spec.ts',
    ...Object.keys(PROMISE_OF).map((path) => `<rootDir>/${path}`),
  ],
  // Guards against hanging, on any machine.
  testTimeout: 240_000,
  maxWorkers: 1,
  reporters: ['default', ['<rootDir>/tools/test-run/fault-table.reporter.mjs', { promiseOf: PROMISE_OF }]],
};
