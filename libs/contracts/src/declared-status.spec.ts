import { describe, expect, it } from '@jest/globals';
import { DECLARED_STATUSES, NOT_IN_FORCE, NOT_IN_FORCE_WORDS, toDeclaredStatus } from './declared-status.js';

describe('toDeclaredStatus', () => {
  it.each([
    ['draft', 'draft'],
    ['work-in_progress', 'draft'],
    ['under review', 'proposed'],
    ['in force', 'active'],
    ['cancelled', 'withdrawn'],
    ['on holiday', null],
    [null, null],
  ])('reads %j as %j', (word, status) => {
    expect(toDeclaredStatus(word)).toBe(status);
  });

  it('knows each status by its own name', () => {
    for (const status of DECLARED_STATUSES) expect(toDeclaredStatus(status)).toBe(status);
  });
});

describe('NOT_IN_FORCE_WORDS', () => {
  it('are exactly the words of what is not in force', () => {
    for (const word of NOT_IN_FORCE_WORDS) expect(NOT_IN_FORCE).toContain(toDeclaredStatus(word));
    expect(NOT_IN_FORCE_WORDS).toEqual(expect.arrayContaining([...NOT_IN_FORCE]));
    for (const word of ['approved', 'active', 'archived', 'superseded']) expect(NOT_IN_FORCE_WORDS).not.toContain(word);
  });
});
