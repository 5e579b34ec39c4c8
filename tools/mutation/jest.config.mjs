import { esm } from '../../jest.preset.mjs';

/** Run by Stryker alone, in its copy of the sources. */
export default { ...esm, testMatch: ['<rootDir>/*.spec.mjs'] };
