import { esm } from '../../jest.preset.mjs';

export default { ...esm, displayName: 'e2e', testTimeout: 60_000 };
