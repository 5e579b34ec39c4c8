import { ApiError, ConnectionError, DeadlineError } from '@candor/client';
import { formatDuration } from '../words/format.js';

export type Explanation = {
  /**
   * `forbidden`: what the key may not do, which is no failure. `signed_out`: the key is not accepted any more.
   * `busy`: the same will work later. `failed`: everything else.
   */
  kind: 'forbidden' | 'signed_out' | 'busy' | 'failed';
  title: string;
  /** What to know or do. */
  text: string;
  requestId: string | null;
};

/** What went wrong, in plain words. */
export function explainError(error: unknown): Explanation {
  if (error instanceof ApiError) return explainRefusal(error);
  if (error instanceof DeadlineError)
    return failed('The answer took too long', 'The request was given up. Try it again in a moment.');
  if (error instanceof ConnectionError)
    return failed('The gateway cannot be reached', 'Is it running, and is this machine connected to it?');
  return failed('Something went wrong in this page', error instanceof Error ? error.message : String(error));
}

function explainRefusal(error: ApiError): Explanation {
  const requestId = error.requestId === '' ? null : error.requestId;
  switch (error.status) {
    case 401:
      return {
        kind: 'signed_out',
        title: 'This key is not accepted',
        text: 'It is unknown, expired or revoked. Sign in with another one.',
        requestId,
      };
    case 403:
      return {
        kind: 'forbidden',
        title: 'This key may not do that',
        text: error.message,
        requestId,
      };
    case 429:
      return {
        kind: 'busy',
        title: error.type?.startsWith('QUOTA.')
          ? 'A quota of the tenant is used up'
          : 'Too many requests with this key',
        text: `${error.message} ${waitFor(error.retryAfterSeconds)}`,
        requestId,
      };
    case 503:
      return {
        kind: 'busy',
        title: 'A part of the system is not available',
        text: `${error.message} ${waitFor(error.retryAfterSeconds)}`,
        requestId,
      };
    case 504:
      return { kind: 'busy', title: 'The answer took too long', text: error.message, requestId };
    case 404:
      return { kind: 'failed', title: 'Not found', text: 'It does not exist, or this key may not see it.', requestId };
    default:
      return { kind: 'failed', title: titleOf(error.status), text: error.message, requestId };
  }
}

function titleOf(status: number): string {
  if (status === 400 || status === 422) return 'The request was refused';
  if (status === 409) return 'That is not possible in the present state';
  if (status === 413) return 'That is too large';
  if (status === 415) return 'Files of this type cannot be read';
  if (status === 502) return 'The answer provider failed';
  return status >= 500 ? 'The gateway failed' : 'The request was refused';
}

function waitFor(seconds: number | undefined): string {
  return seconds === undefined
    ? 'Try again in a moment.'
    : `Try again in ${formatDuration(Math.max(1, Math.ceil(seconds)))}.`;
}

function failed(title: string, text: string): Explanation {
  return { kind: 'failed', title, text, requestId: null };
}
