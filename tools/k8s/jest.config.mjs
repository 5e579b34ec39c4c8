import { esm } from '../../jest.preset.mjs';

// A first run compiles two programs.
export default { ...esm, displayName: 'k8s', testMatch: ['<rootDir>/*.spec.mjs'], testTimeout: 600_000 };
