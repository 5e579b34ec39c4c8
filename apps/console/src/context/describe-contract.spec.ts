import { EXCLUSION_11_TYPES } from '@candor/contracts';
import {
  describeExtent,
  describeFreshness,
  describeValidity,
  EXCLUSION_WORDS,
  summarizeContract,
} from './describe-contract.js';

const exclusion = (
  type: (typeof EXCLUSION_11_TYPES)[number],
  count: number | null,
  provider: 'slack' | null = 'slack',
) => ({
  type,
  provider,
  count,
  reason: 'r',
});

describe('a contract in plain words', () => {
  it('has words for every reason to leave something out, each of its own', () => {
    expect(Object.keys(EXCLUSION_WORDS).sort()).toEqual([...EXCLUSION_11_TYPES].sort());
    expect(new Set(Object.values(EXCLUSION_WORDS).map(({ title }) => title)).size).toBe(EXCLUSION_11_TYPES.length);
  });

  it('says how many of what, and counts sources where sources are counted', () => {
    expect(describeExtent(exclusion('superseded', 1))).toBe('1 item of Slack');
    expect(describeExtent(exclusion('relevance_floor', 14, null))).toBe('14 items');
    expect(describeExtent(exclusion('source_stale', 2))).toBe('2 sources of Slack');
    expect(describeExtent(exclusion('provider_scope', null))).toBe('Slack');
    expect(describeExtent(exclusion('relevance_floor', null, null))).toBe('');
  });

  it('tells a lack from what was rightly left out', () => {
    const lacks = EXCLUSION_11_TYPES.filter((type) => EXCLUSION_WORDS[type].isDefect);
    expect(lacks).toEqual(['access_unknown', 'source_stale', 'source_error']);
    expect(summarizeContract({ hits: [], exclusions: [exclusion('no_results', null)] })).toBe(
      'Nothing relevant was found; 1 entry about what was left out.',
    );
    expect(
      summarizeContract({ hits: [], exclusions: [exclusion('no_results', null), exclusion('source_error', 1)] }),
    ).toBe('Nothing relevant was found; 2 entries about what was left out, one of them a lack.');
    expect(summarizeContract({ hits: [], exclusions: [] })).toBe('Nothing relevant was found; nothing was left out.');
  });

  it('says how fresh a hit is, and that nobody knows', () => {
    expect(describeFreshness({ syncedAt: '2026-05-01T00:00:00Z', ageHours: 0 })).toBe('synced just now');
    expect(describeFreshness({ syncedAt: '2026-05-01T00:00:00Z', ageHours: 26.5 })).toBe('synced 1 d 2 h ago');
    expect(describeFreshness(null)).toMatch(/nobody knows/);
  });

  it('speaks of validity only where there is something to know', () => {
    const day = '2026-05-01T00:00:00Z';
    expect(describeValidity({ validFrom: null, validUntil: null, state: 'valid' })).toBeUndefined();
    expect(describeValidity({ validFrom: day, validUntil: null, state: 'not_yet_valid' })).toMatch(
      /not in force before/,
    );
    expect(describeValidity({ validFrom: null, validUntil: day, state: 'expired' })).toMatch(/^expired on/);
    expect(describeValidity({ validFrom: null, validUntil: day, state: 'valid' })).toMatch(/^in force until/);
  });
});
