import { esm } from '../../jest.preset.mjs';

export default { ...esm, displayName: 'k8s', testMatch: ['<rootDir>/*.spec.mjs'], testTimeout: 60_000 };
