import { createHash } from 'node:crypto';
import { generateApiKey, keyFromHeader, parseApiKey, sameSecret } from './api-key-secret.js';

describe('API keys', () => {
  it('generates keys that parse to what is stored, and never the same twice', () => {
    const made = generateApiKey();
    expect(made.key).toMatch(/^gm_[0-9a-f]{16}_[0-9a-f]{64}$/);
    expect(parseApiKey(made.key)).toEqual(made);
    expect(generateApiKey().key).not.toBe(made.key);
  });

  it('stores only the SHA-256 of the secret part', () => {
    const parsed = parseApiKey('gm_abcdefgh_0123456789abcdef');
    expect(parsed?.secretSha256).toEqual(createHash('sha256').update('0123456789abcdef').digest());
  });

  it.each([
    '',
    'gm_',
    'gm_short_0123456789abcdef',
    'gm_abcdefgh_short',
    'xx_abcdefgh_0123456789abcdef',
    'gm_abcdefgh_0123456789abcde\u0131',
  ])('does not take %j for a key', (text) => expect(parseApiKey(text)).toBeNull());

  it.each([
    ['API-Key gm_a_b', 'gm_a_b'],
    ['api-key   gm_a_b ', 'gm_a_b'],
    ['Bearer gm_a_b', 'gm_a_b'],
    ['Basic gm_a_b', undefined],
    ['gm_a_b', undefined],
    ['Bearer gm_a b', undefined],
    [undefined, undefined],
  ])('reads the header %j as %j', (header, key) => expect(keyFromHeader(header)).toBe(key));

  it('compares whole secrets', () => {
    expect(sameSecret(Buffer.from('ab'), Buffer.from('ab'))).toBe(true);
    expect(sameSecret(Buffer.from('ab'), Buffer.from('ac'))).toBe(false);
    expect(sameSecret(Buffer.from('ab'), Buffer.from('abc'))).toBe(false);
  });
});
