import { judgeValidity } from './judge-validity.js';

const [FIRST, SECOND] = [new Date('2026-01-01T00:00:00.000Z'), new Date('2026-02-01T00:00:00.000Z')];
const before = (date: Date): Date => new Date(date.getTime() - 1);

it.each([
  ['no bounds', null, null, FIRST, 'valid'],
  ['right before it begins', FIRST, SECOND, before(FIRST), 'not_yet_valid'],
  ['when it begins', FIRST, SECOND, FIRST, 'valid'],
  ['right before it ends', FIRST, SECOND, before(SECOND), 'valid'],
  ['when it ends', FIRST, SECOND, SECOND, 'expired'],
  ['an end alone', null, SECOND, FIRST, 'valid'],
  ['a beginning alone', SECOND, null, FIRST, 'not_yet_valid'],
] as const)('%s', (_name, validFrom, validUntil, at, expected) => {
  expect(judgeValidity({ validFrom, validUntil }, at)).toBe(expected);
});
