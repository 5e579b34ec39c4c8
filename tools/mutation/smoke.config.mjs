import config from './stryker.config.mjs';
import { SMOKE } from './validators.mjs';

/** What `npm test` runs: a few seconds of the whole. */
export default { ...config, mutate: SMOKE, reporters: ['clear-text'] };
