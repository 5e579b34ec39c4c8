import { applyRelevanceFloor } from './apply-relevance-floor.js';

const rule = { relevanceFloor: 0.5, cosineGuard: 0.5, wordWeight: 0.3, evidenceGuard: 0.6 };

function passage(cosine: number, coverage = 0, hasIdentifier = false) {
  return { cosine, match: { coverage, isComplete: coverage === 1, hasIdentifier } };
}

describe('applyRelevanceFloor', () => {
  const items = [passage(0.4, 0.9), passage(0.6), passage(0.5)];

  it('keeps what reaches the floor, in order, and hands back the rest', () => {
    expect(applyRelevanceFloor(items, 0.5, rule)).toEqual({ kept: items.slice(1), below: items.slice(0, 1) });
  });

  it('keeps everything without a floor, also what points away from the query', () => {
    expect(applyRelevanceFloor([passage(-0.3)], null, rule).below).toEqual([]);
  });

  it('keeps what holds every word of the query, or an identifier it names', () => {
    const [everyWord, identifier, farAway] = [passage(0.4, 1), passage(0, 0, true), passage(0.2, 1)];
    expect(applyRelevanceFloor([everyWord, identifier, farAway], 0.5, rule)).toEqual({
      kept: [everyWord, identifier],
      below: [farAway],
    });
  });

  it('goes by the cosine alone without a rule', () => {
    expect(applyRelevanceFloor([passage(0.4, 1, true)], 0.5, null).kept).toEqual([]);
  });
});
