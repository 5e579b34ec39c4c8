import { idOf } from '../../testing/builders.js';
import { passagePagePlan, TAIL_SHARE } from './passage-page-plan.js';

const measured = { relevanceFloor: 0.58, cosineGuard: 0.59, wordWeight: 0.3, evidenceGuard: 0.75, calibrated: true };

describe('passagePagePlan', () => {
  it('has a floor and cuts the tail of an unscoped search', () => {
    expect(passagePagePlan({ limit: 10 }, measured)).toEqual({
      limit: 10,
      unit: 'passage',
      floor: 0.58,
      tailShare: TAIL_SHARE,
      rule: measured,
      emptyUnlessRelevant: false,
    });
  });

  it.each([{ documentId: idOf(1) }, { collectionId: idOf(2) as never }])('has neither inside of %p', (scope) => {
    expect(passagePagePlan({ limit: 10, ...scope }, measured)).toMatchObject({ floor: null, tailShare: null });
  });

  it('has neither for a model that nothing was measured for', () => {
    const unmeasured = { ...measured, calibrated: false };
    expect(passagePagePlan({ limit: 10 }, unmeasured)).toMatchObject({ floor: null, tailShare: null, rule: null });
  });
});
