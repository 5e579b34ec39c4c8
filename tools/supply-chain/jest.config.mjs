import { esm } from '../../jest.preset.mjs';

export default { ...esm, displayName: 'supply-chain', testMatch: ['<rootDir>/*.spec.mjs'], testTimeout: 60_000 };
