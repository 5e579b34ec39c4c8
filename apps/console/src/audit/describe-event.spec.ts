import { AUDIT_ACTIONS } from '@candor/contracts';
import { ACTION_FILTERS, pickFacts } from './describe-event.js';

describe('pickFacts', () => {
  it('reads the search of a question where it stands', () => {
    const metadata = {
      query: 'brand?',
      chunksGathered: 7,
      citationsDropped: 0,
      retrieval: { hits: 7, tookMs: { total: 56.6 }, excluded: { relevance_floor: 57 } },
    };
    expect(pickFacts({ metadata })).toEqual({
      Asked: 'brand?',
      Hits: 7,
      'Passages shown to the provider': 7,
      'Citations withheld': 0,
      'Left out (relevance floor)': 57,
      Retrieval: '57 ms',
    });
  });

  it('says why something was refused, and nothing that isn’t there', () => {
    expect(pickFacts({ metadata: { skipped: 'no_evidence' } })).toEqual({ 'Refused because': 'no_evidence' });
    expect(pickFacts({ metadata: {} })).toEqual({});
  });
});

describe('ACTION_FILTERS', () => {
  it('names only actions that there are', () => {
    for (const action of Object.keys(ACTION_FILTERS).filter(Boolean)) expect(AUDIT_ACTIONS).toHaveProperty([action]);
  });
});
