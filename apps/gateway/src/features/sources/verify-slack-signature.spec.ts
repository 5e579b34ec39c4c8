import { describe, expect, it } from '@jest/globals';
import { verifySlackSignature } from './verify-slack-signature.js';

/** The example of Slack's own documentation, "Verifying requests from Slack". */
const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const EXAMPLE = {
  body: Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  ),
  timestamp: '1531420618',
  signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
};
const NOW = 1_531_420_618_000;

describe('verifySlackSignature', () => {
  it("accepts the example of Slack's documentation", () => {
    expect(verifySlackSignature(EXAMPLE, SECRET, NOW)).toBe(true);
  });

  it.each([
    ['another secret', EXAMPLE, `${SECRET}x`],
    ['another body', { ...EXAMPLE, body: Buffer.concat([EXAMPLE.body, Buffer.from(' ')]) }, SECRET],
    ['another timestamp', { ...EXAMPLE, timestamp: '1531420619' }, SECRET],
    ['no timestamp', { ...EXAMPLE, timestamp: undefined }, SECRET],
    ['no signature', { ...EXAMPLE, signature: undefined }, SECRET],
    ['an empty signature', { ...EXAMPLE, signature: 'v0=' }, SECRET],
    ['a shorter signature', { ...EXAMPLE, signature: EXAMPLE.signature.slice(0, -2) }, SECRET],
    ['another version', { ...EXAMPLE, signature: EXAMPLE.signature.replace('v0', 'v1') }, SECRET],
    ['text that is not hex', { ...EXAMPLE, signature: `v0=${'z'.repeat(64)}` }, SECRET],
  ])('refuses %s', (_name, request, secret) => {
    expect(verifySlackSignature(request, secret, NOW)).toBe(false);
  });

  it('refuses what is more than five minutes old or early', () => {
    for (const seconds of [-300, 0, 300])
      expect(verifySlackSignature(EXAMPLE, SECRET, NOW + seconds * 1_000)).toBe(true);
    for (const seconds of [-301, 301]) expect(verifySlackSignature(EXAMPLE, SECRET, NOW + seconds * 1_000)).toBe(false);
  });
});
