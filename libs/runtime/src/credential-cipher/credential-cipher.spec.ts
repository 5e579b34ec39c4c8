import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { loadConfig } from '../config/load-config.js';
import { z } from 'zod';
import { CredentialCipher, encryptionEnvironment } from './credential-cipher.js';

const keyOf = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const old = keyOf('2025');
const current = keyOf('2026');
const SECRET = '{"token":"xoxb-planted-secret"}';

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof AppError ? error.code : 'not an AppError';
  }
  return 'nothing was thrown';
}

describe('CredentialCipher', () => {
  const cipher = new CredentialCipher(`${current},${old}`);

  it('opens what it sealed, for the same owner alone', () => {
    const sealed = cipher.seal(SECRET, 'tenant:source');
    expect(sealed.keyId).toBe('2026');
    expect(sealed.ciphertext.includes('planted')).toBe(false);
    expect(cipher.open(sealed, 'tenant:source')).toBe(SECRET);
    expect(codeOf(() => cipher.open(sealed, 'tenant:other'))).toBe('CONNECTOR.CREDENTIALS_UNREADABLE');
  });

  it('seals the same text differently each time', () => {
    expect(cipher.seal(SECRET, 'a').ciphertext).not.toEqual(cipher.seal(SECRET, 'a').ciphertext);
  });

  it('notices a changed, shortened or empty ciphertext', () => {
    const sealed = cipher.seal(SECRET, 'a');
    for (let index = 0; index < sealed.ciphertext.length; index += 1) {
      const changed = Buffer.from(sealed.ciphertext);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(codeOf(() => cipher.open({ ...sealed, ciphertext: changed }, 'a'))).toBe(
        'CONNECTOR.CREDENTIALS_UNREADABLE',
      );
    }
    for (const length of [0, 5, 20, sealed.ciphertext.length - 1])
      expect(codeOf(() => cipher.open({ ...sealed, ciphertext: sealed.ciphertext.subarray(0, length) }, 'a'))).toBe(
        'CONNECTOR.CREDENTIALS_UNREADABLE',
      );
  });

  it('reads what an older key sealed, and says so when that key is gone', () => {
    const sealed = new CredentialCipher(old).seal(SECRET, 'a');
    expect(cipher.open(sealed, 'a')).toBe(SECRET);
    expect(codeOf(() => new CredentialCipher(current).open(sealed, 'a'))).toBe('CONNECTOR.CREDENTIALS_UNREADABLE');
  });

  it.each([
    ['nothing', ''],
    ['no id', `:${randomBytes(32).toString('base64')}`],
    ['a short key', `a:${randomBytes(31).toString('base64')}`],
    ['a long key', `a:${randomBytes(33).toString('base64')}`],
    ['text that is not base64', `a:${'!'.repeat(43)}=`],
    ['one id twice', `${current},${current}`],
    ['a trailing comma', `${current},`],
  ])('refuses %s, without repeating it', (_name, keys) => {
    expect(codeOf(() => new CredentialCipher(keys))).toBe('CONFIG.INVALID');
    const given = { CANDOR_ENCRYPTION_KEYS: keys || 'x' };
    expect(() => loadConfig(z.object(encryptionEnvironment), given)).toThrow(/^[^]*CANDOR_ENCRYPTION_KEYS must be/);
    if (keys.length > 20)
      expect(() => loadConfig(z.object(encryptionEnvironment), given)).not.toThrow(keys.slice(2, 20));
  });
});
