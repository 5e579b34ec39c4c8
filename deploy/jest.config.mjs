import { esm } from '../jest.preset.mjs';

export default { ...esm, displayName: 'deploy', testMatch: ['<rootDir>/*.spec.mjs'], testTimeout: 60_000 };
