// Opt-in: `NODE_OPTIONS=--experimental-vm-modules npx jest -c tools/llm/jest.config.mjs`. A model on a busy machine takes its time.
export default {
  displayName: 'llm',
  testMatch: ['<rootDir>/*.spec.mjs'],
  modulePathIgnorePatterns: ['<rootDir>/node_modules'],
  transform: {},
  testTimeout: 600_000,
};
