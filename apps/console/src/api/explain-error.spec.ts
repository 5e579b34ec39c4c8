import { ApiError, ConnectionError, DeadlineError } from '@candor/client';
import { explainError } from './explain-error.js';

const refusal = (status: number, message = 'Because.', retryAfterSeconds?: number): ApiError =>
  new ApiError(message, { status, type: null, details: null, requestId: 'r-1', retryAfterSeconds });

describe('explainError', () => {
  it.each([
    [401, 'signed_out', /unknown, expired or revoked/],
    [403, 'forbidden', /Because\./],
    [404, 'failed', /may not see it/],
    [409, 'failed', /Because\./],
    [429, 'busy', /Try again in 7 s/],
    [500, 'failed', /Because\./],
    [502, 'failed', /Because\./],
    [503, 'busy', /Because\. Try again in 7 s/],
    [504, 'busy', /Because\./],
  ])('says what %d means', (status, kind, text) => {
    const explained = explainError(refusal(status, 'Because.', 6.2));
    expect(explained).toMatchObject({ kind, requestId: 'r-1' });
    expect(explained.text).toMatch(text);
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
