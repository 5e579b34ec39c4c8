/** All projects in one run: one process pool, one machine-readable result. */
export default {
  // A project's own `testTimeout` counts only when it is run alone. This one guards against hanging, on any machine.
  testTimeout: 240_000,
  testSequencer: '<rootDir>/tools/test-run/longest-first.cjs',
  projects: [
    '<rootDir>/libs/*',
    '<rootDir>/apps/*',
    '<rootDir>/tools/services',
    '<rootDir>/tools/models',
    '<rootDir>/tools/bench',
    '<rootDir>/tools/bootstrap',
    '<rootDir>/tools/generate',
    '<rootDir>/tools/lint-proof',
    '<rootDir>/tools/alerts',
    '<rootDir>/tools/k8s',
    '<rootDir>/tools/supply-chain',
    '<rootDir>/tools/mutation',
    '<rootDir>/tools/scaling',
    '<rootDir>/deploy',
  ],
};
