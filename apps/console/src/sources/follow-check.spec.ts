import type { SourceCheck } from '@candor/contracts';
import { followCheck } from './follow-check.js';

const BEFORE = '2026-05-01T12:00:00.000Z';
const check = (status: SourceCheck['status'], checkedAt: string | null): SourceCheck => ({
  status,
  account: null,
  error: null,
  checkedAt,
});
const pending = check('pending', null);

describe('followCheck', () => {
  it('is under way until the source tells of an outcome', () => {
    expect(followCheck(pending, null, null)).toBe(pending);
    expect(followCheck(pending, BEFORE, pending)).toBe(pending);
    const rejected = check('rejected', '2026-05-01T12:00:20.000Z');
    expect(followCheck(pending, BEFORE, rejected)).toBe(rejected);
    expect(followCheck(pending, null, rejected)).toBe(rejected);
  });

  it('takes no outcome of an earlier check for its own', () =>
    expect(followCheck(pending, BEFORE, check('ok', BEFORE))).toBe(pending));

  it('keeps an answer that came at once while somebody else asks again', () => {
    const answer = check('ok', '2026-05-01T12:00:01.000Z');
    expect(followCheck(answer, BEFORE, pending)).toBe(answer);
    expect(followCheck(answer, BEFORE, null)).toBe(answer);
  });
});
