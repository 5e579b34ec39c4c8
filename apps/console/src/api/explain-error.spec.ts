import { ApiError, ConnectionError, DeadlineError } from '@candor/client';
import type { ErrorCode } from '@candor/contracts';
import { explainError } from './explain-error.js';

const refusal = (status: number, message = 'Because.', retryAfterSeconds?: number): ApiError =>
  new ApiError(message, { status, type: null, details: null, requestId: 'r-1', retryAfterSeconds });

describe('explainError', () => {
  it.each([
    [401, 'signed_out', /unknown, expired or revoked/],
    [403, 'forbidden', /Because\./],
    [404, 'failed', /may not see it/],
    [409, 'failed', /Because\./],
    [429, 'busy', /Because\. Try again in 7 s/],
    [500, 'failed', /Because\./],
    [502, 'failed', /Because\./],
    [503, 'busy', /Because\. Try again in 7 s/],
    [504, 'busy', /Because\./],
  ])('says what %d means', (status, kind, text) => {
    const explained = explainError(refusal(status, 'Because.', 6.2));
    expect(explained).toMatchObject({ kind, requestId: 'r-1' });
    expect(explained.text).toMatch(text);
  });

  it.each<[ErrorCode, RegExp, number, string]>([
    ['RATE_LIMIT.EXCEEDED', /this key/, 60, 'Try again in 1 min.'],
    ['QUOTA.RATE_EXCEEDED', /quota of the tenant/, 26_000, 'Try again in 7 h 13 min.'],
    ['QUOTA.QUEUE_FULL', /quota of the tenant/, 90, 'Try again in 1 min 30 s.'],
  ])('says whose limit is used up and how long that lasts: %s', (type, title, retryAfterSeconds, wait) => {
    const error = new ApiError('500 a day.', { status: 429, type, details: null, requestId: '', retryAfterSeconds });
    const explained = explainError(error);
    expect(explained).toMatchObject({ kind: 'busy', text: `500 a day. ${wait}` });
    expect(explained.title).toMatch(title);
  });

  it('does not promise a time that it was not told', () => {
    expect(explainError(refusal(429)).text).toMatch(/in a moment/);
  });

  it('tells a dead gateway, a deadline and a bug of its own apart', () => {
    expect(explainError(new ConnectionError('x')).title).toMatch(/cannot be reached/);
    expect(explainError(new DeadlineError('x')).title).toMatch(/too long/);
    expect(explainError(new TypeError('x is undefined'))).toMatchObject({ kind: 'failed', text: 'x is undefined' });
  });
});
