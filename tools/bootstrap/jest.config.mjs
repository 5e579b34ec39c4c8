import { esm } from '../../jest.preset.mjs';

export default {
  ...esm,
  displayName: 'bootstrap',
  roots: ['<rootDir>', '<rootDir>/../test-run'],
  testMatch: ['**/*.spec.mjs'],
  testTimeout: 60_000,
};
