import { expect, it } from '@jest/globals';
import { unfinishedIn } from './count-unfinished.js';

it('counts what has still to be done, and neither what is through nor what was given up', () => {
  expect(
    unfinishedIn({ counts: { accepted: 4, extracting: 2, indexing: 1, indexed: 90, failed: 3, deleted: 5 } }),
  ).toBe(7);
  expect(unfinishedIn({ counts: { indexed: 200 } })).toBe(0);
});
