import { describeKeyState } from './describe-key-state.js';

const NOW = Date.parse('2026-05-01T12:00:00Z');

describe('describeKeyState', () => {
  it.each([
    [null, null, 'active', true],
    [null, '2026-06-01T12:00:00Z', 'active', true],
    [null, '2026-05-03T12:00:00Z', 'expires in 2 d', true],
    [null, '2026-05-01T12:00:00Z', 'expired', false],
    ['2026-04-01T12:00:00Z', '2026-06-01T12:00:00Z', 'revoked', false],
  ])('revoked at %p and expiring at %p is %s', (revokedAt, expiresAt, words, isUsable) => {
    expect(describeKeyState({ revokedAt, expiresAt }, NOW)).toMatchObject({ words, isUsable });
  });
});
