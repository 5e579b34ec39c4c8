import { createHmac, timingSafeEqual } from 'node:crypto';

/** Slack's own advice: older requests may be replays. */
const MOST_SECONDS_APART = 5 * 60;

export interface SignedRequest {
  /** As sent: another spelling of the same JSON has another signature. */
  body: Buffer;
  /** `X-Slack-Request-Timestamp`: seconds since 1970. */
  timestamp: string | undefined;
  /** `X-Slack-Signature`: `v0=` and hex. */
  signature: string | undefined;
}

/** Whether the request was signed with `secret`, recently. Takes as long for a wrong signature as for the right one. */
export function verifySlackSignature(request: SignedRequest, secret: string, now: number): boolean {
  const { body, timestamp = '', signature = '' } = request;
  const expected = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest();
  const given = Buffer.from(/^v0=([0-9a-f]{64})$/.exec(signature)?.[1] ?? '', 'hex');
  const matches = timingSafeEqual(given.length === expected.length ? given : Buffer.alloc(expected.length), expected);
  const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1_000 - Number(timestamp)) <= MOST_SECONDS_APART;
  return matches && given.length === expected.length && isRecent;
}
