import { esm } from '../../jest.preset.mjs';

export default { ...esm, displayName: 'alerts', testMatch: ['<rootDir>/*.spec.mjs'] };
