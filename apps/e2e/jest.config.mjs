import { esm } from '../../jest.preset.mjs';

/** Faults and scale take minutes: they have runs of their own, `npm run test:faults` and `npm run test:scale`. */
export default {
  ...esm,
  displayName: 'e2e',
  testTimeout: 60_000,
  testPathIgnorePatterns: ['/src/faults/', '/src/scale/'],
};
