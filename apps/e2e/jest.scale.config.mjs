import { fileURLToPath } from 'node:url';
import { esm } from '../../jest.preset.mjs';

export default {
  ...esm,
  rootDir: fileURLToPath(new URL('.', import.meta.url)),
  displayName: 'scale',
  testMatch: ['<rootDir>/src/scale/**/*.spec.ts'],
  testTimeout: 3_600_000,
};
