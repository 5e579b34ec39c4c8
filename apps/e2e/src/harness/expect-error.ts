import { expect } from '@jest/globals';
import type { ErrorCode } from '@candor/contracts';
import type { ApiResponse } from '@candor/testkit';

export interface ExpectedError {
  status: number;
  type: ErrorCode;
  /** The whole message. */
  message?: string;
  /** The field that `details` names. */
  field?: string;
}

interface ErrorBody {
  error: { code: number; type: string; message: string; details: Record<string, unknown> | null; requestId: string };
}

/** So that an answer where an error was expected reads as such. */
const NO_ERROR = { code: 0, type: 'none', message: 'no error', details: null, requestId: '' };

/** The one error shape, whole: no field more or less, the request's id in header and body, nothing from inside. */
export function expectError(response: ApiResponse, expected: ExpectedError): ErrorBody['error'] {
  const { error = NO_ERROR } = response.body as Partial<ErrorBody>;
  const shown = { status: response.status, type: error.type, message: error.message };
  expect(shown).toEqual({ status: expected.status, type: expected.type, message: expected.message ?? error.message });
  expect(Object.keys(response.body as ErrorBody)).toEqual(['error']);
  expect(Object.keys(error).sort()).toEqual(['code', 'details', 'message', 'requestId', 'type']);
  expect(error.code).toBe(response.status);
  expect(error.requestId).toBe(response.requestId);
  if (expected.field !== undefined) expect(error.details).toMatchObject({ field: expected.field });
  expectNothingFromInside(response.text);
  return error;
}

/** No stack, no driver's text, no name of an index, table or internal host. */
export function expectNothingFromInside(text: string): void {
  expect(text).not.toMatch(/\bat [^"]*\(?[^"]*\.(js|ts):\d+|node_modules|ECONNREFUSED|ETIMEDOUT/);
  expect(text).not.toMatch(/QueryFailedError|syntax error|relation "|column "|pg_|lance|elasticsearch|ioredis|bullmq/i);
  expect(text).not.toMatch(/127\.0\.0\.1|localhost/);
}
