const { default: Sequencer } = require('@jest/test-sequencer');

/** What takes minutes, the longest first: begun last, it would keep one worker busy while the others have nothing left to do. */
const LONG = [
  'apps/e2e/src/distributed.spec.ts',
  'apps/e2e/src/standalone.spec.ts',
  'apps/e2e/src/console.spec.ts',
  'tools/bench/bench.spec.mjs',
  'apps/ingestion-worker/src/features/build-generation/generation-builds.spec.ts',
  'libs/search-index/src/elasticsearch/elasticsearch-index.spec.ts',
];

const placeOf = ({ path }) => {
  const place = LONG.findIndex((end) => path.replaceAll('\\', '/').endsWith(end));
  return place === -1 ? LONG.length : place;
};

/** Jest's own order (a fresh clone has no times yet, so by size), except for what is known to be long. */
module.exports = class LongestFirst extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    return [...sorted].sort((left, right) => placeOf(left) - placeOf(right));
  }
};
