import { describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { listFields, readCredentials, readSettings } from './read-source-input.js';

const STRICT = { allowPrivateAddresses: false };
const LOOSE = { allowPrivateAddresses: true };

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof AppError && error.code === 'REQUEST.INVALID'
      ? error.message
      : `not REQUEST.INVALID: ${String(error)}`;
  }
  return 'accepted';
}

describe('addresses of sources', () => {
  it.each([
    'https://slack.example.com/api/',
    'https://8.8.8.8/',
    'https://[2001:4860:4860::8888]/',
    'https://xn--bcher-kva.example/',
  ])('accepts %s', (baseUrl) => {
    expect(readSettings('slack', { baseUrl }, STRICT)).toEqual({ baseUrl });
  });

  it.each([
    'http://slack.example.com/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://017700000001/',
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://api.localhost/',
    'https://metadata.google.internal/',
    'https://printer.local/',
  ])('refuses %s, unless the operator allows private ones', (baseUrl) => {
    expect(refusal(() => readSettings('notion', { baseUrl }, STRICT))).toMatch(/^settings\.baseUrl must be/);
    expect(readSettings('notion', { baseUrl }, LOOSE)).toEqual({ baseUrl });
  });

  it('refuses other protocols and credentials, whatever the operator allows', () => {
    for (const baseUrl of ['file:///etc/passwd', 'ftp://example.com/', 'gopher://example.com/', 'x'])
      expect(refusal(() => readSettings('notion', { baseUrl }, LOOSE))).toBe(
        'settings.baseUrl must be an http or https URL',
      );
    expect(refusal(() => readSettings('notion', { baseUrl: 'https://user:planted@example.com/' }, LOOSE))).toBe(
      'settings.baseUrl must not hold credentials',
    );
  });

  it('looks at the token address too', () => {
    expect(refusal(() => readSettings('gmail', { tokenUrl: 'https://127.0.0.1/token' }, STRICT))).toMatch(
      /^settings\.tokenUrl/,
    );
  });
});

describe('what a provider takes', () => {
  it('names the field that is wrong, and no value', () => {
    expect(refusal(() => readCredentials('slack', { botToken: '', planted: 'planted' }))).toBe(
      'credentials.planted is not a known field',
    );
    expect(refusal(() => readCredentials('slack', {}))).toBe('credentials.botToken is required');
    expect(refusal(() => readCredentials('slack', 'planted'))).toBe('credentials must be an object');
    expect(refusal(() => readSettings('slack', { channelAllowlist: [] }, STRICT))).toMatch(
      /^settings\.channelAllowlist must have at least 1/,
    );
  });

  it('lists the names of the fields that are set', () => {
    const credentials = { serviceAccount: { clientEmail: 'a@b', privateKey: 'planted' } };
    expect(listFields(readCredentials('google_drive', credentials))).toEqual([
      'serviceAccount.clientEmail',
      'serviceAccount.privateKey',
    ]);
  });
});
