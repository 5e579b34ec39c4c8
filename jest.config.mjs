/** All projects in one run: one process pool, one machine-readable result. */
export default {
  projects: [
    '<rootDir>/libs/*',
    '<rootDir>/apps/*',
    '<rootDir>/tools/services',
    '<rootDir>/tools/models',
    '<rootDir>/tools/bench',
    '<rootDir>/tools/bootstrap',
    '<rootDir>/tools/lint-proof',
    '<rootDir>/tools/k8s',
    '<rootDir>/deploy',
  ],
};
