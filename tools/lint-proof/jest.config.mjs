import { esm } from '../../jest.preset.mjs';

export default { ...esm, displayName: 'lint-proof', testMatch: ['<rootDir>/*.spec.mjs'], testTimeout: 300_000 };
