import { describe, expect, it } from '@jest/globals';
import { instantSchema, itemIdSchema } from './ids.js';

describe('ids', () => {
  it('are in lower case, whichever way a client writes them', () => {
    expect(itemIdSchema.parse('B3F6C1DE-0D5A-4A43-8A2F-6F2F0F2B1A90')).toBe('b3f6c1de-0d5a-4a43-8a2f-6f2f0f2b1a90');
    expect(itemIdSchema.safeParse('x').error?.issues[0]?.message).toBe('must be a UUID');
  });
});

describe('ids of another making', () => {
  it.each(['11111111-1111-1111-1111-111111111111', '00000000-0000-0000-0000-000000000000'])('are ids: %s', (id) => {
    expect(itemIdSchema.parse(id)).toBe(id);
  });
});

describe('instants', () => {
  it.each(['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2026-02-28T12:00:00.123+05:30'])('can be %s', (instant) => {
    expect(instantSchema.parse(instant)).toBe(instant);
  });

  it.each([
    ['9999-12-31T23:59:59-05:00', 'must be in the years 1 to 9999, in UTC'],
    ['0000-06-01T00:00:00Z', 'must be in the years 1 to 9999, in UTC'],
    ['2026-02-30T00:00:00Z', 'must be an ISO 8601 timestamp with a time zone'],
    ['soon', 'must be an ISO 8601 timestamp with a time zone'],
  ])('cannot be %s', (instant, rule) => {
    expect(instantSchema.safeParse(instant).error?.issues.map(({ message }) => message)).toEqual([rule]);
  });
});
