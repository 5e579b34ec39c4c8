import { countAll, countDone } from './count-stages.js';

describe('stages of an ingestion', () => {
  it('counts what has ended, also badly, as done', () => {
    const counts = { accepted: 2, extracting: 1, indexing: 3, indexed: 10, failed: 1, skipped: 4, deleting: 1 };
    expect(countAll(counts)).toBe(22);
    expect(countDone(counts)).toBe(15);
  });

  it('is nothing of nothing', () => expect([countAll({}), countDone({})]).toEqual([0, 0]));
});
