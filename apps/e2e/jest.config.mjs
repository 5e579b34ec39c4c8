import { esm } from '../../jest.preset.mjs';

/** Faults take minutes: they have a run of their own, `npm run test:faults`. */
export default { ...esm, displayName: 'e2e', testTimeout: 60_000, testPathIgnorePatterns: ['/src/faults/'] };
