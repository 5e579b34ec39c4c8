import { esm } from '../../jest.preset.mjs';

export default { ...esm, displayName: 'scaling', testMatch: ['<rootDir>/*.spec.mjs'], testTimeout: 60_000 };
