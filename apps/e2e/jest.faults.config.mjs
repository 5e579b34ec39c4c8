import { fileURLToPath } from 'node:url';
import { esm } from '../../jest.preset.mjs';

export default {
  ...esm,
  rootDir: fileURLToPath(new URL('.', import.meta.url)),
  displayName: 'faults',
  testMatch: ['<rootDir>/src/faults/**/*.spec.ts'],
  testTimeout: 60_000,
};
