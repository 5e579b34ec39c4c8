import { describe, expect, it } from '@jest/globals';
import type { TruthOfItem } from '@candor/persistence';
import { judgeEntry } from './compare-index.service.js';

const since = new Date('2026-01-02T00:00:00.000Z');
const truth: TruthOfItem = {
  itemId: 'item',
  liveVersion: 3,
  latestVersion: 4,
  isDeleted: false,
  isPurged: false,
  endedVersions: [],
  isInWork: true,
  updatedAt: new Date('2026-01-01T00:00:00.000Z'),
};
const judge = (version: number, of: Partial<TruthOfItem> | null) =>
  judgeEntry({ itemId: 'item', version }, of === null ? undefined : { ...truth, ...of }, since);

describe('what an index holds of an item', () => {
  it('is fine in the live version', () => {
    expect(judge(3, {})).toBe('fine');
  });

  it('is ahead of the commit that makes a version live', () => {
    expect(judge(4, {})).toBe('changing');
    expect(judge(1, { liveVersion: null })).toBe('changing');
  });

  it('has strayed when that commit will never come, and the live version is missing then', () => {
    const ended = { endedVersions: [4], isInWork: false };
    expect(judge(4, ended)).toBe('strayed');
    expect(judge(4, { ...ended, isInWork: true })).toBe('changing');
    expect(judge(5, ended)).toBe('changing');
    expect(judge(4, { ...ended, liveVersion: null })).toBe('leftover');
  });

  it('is outdated in an older version, unless the item has just changed', () => {
    expect(judge(2, {})).toBe('outdated');
    expect(judge(2, { updatedAt: new Date('2026-01-02T00:00:00.001Z') })).toBe('changing');
  });

  it('dangles when the database has no such item, and when it is gone for good', () => {
    expect(judge(3, null)).toBe('dangling');
    expect(judge(3, { isDeleted: true, isPurged: true, liveVersion: null })).toBe('dangling');
  });

  it('is left to the delete that is under way', () => {
    expect(judge(3, { isDeleted: true })).toBe('changing');
  });
});
