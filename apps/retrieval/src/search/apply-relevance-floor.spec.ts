import { applyRelevanceFloor } from './apply-relevance-floor.js';

describe('applyRelevanceFloor', () => {
  const items = [{ cosine: 0.4 }, { cosine: 0.6 }, { cosine: 0.5 }];

  it('keeps what reaches the floor, in order, and hands back the rest', () => {
    expect(applyRelevanceFloor(items, 0.5)).toEqual({
      kept: [{ cosine: 0.6 }, { cosine: 0.5 }],
      below: [{ cosine: 0.4 }],
    });
  });

  it('keeps everything without a floor, also what points away from the query', () => {
    expect(applyRelevanceFloor([{ cosine: -0.3 }], null)).toEqual({ kept: [{ cosine: -0.3 }], below: [] });
  });
});
