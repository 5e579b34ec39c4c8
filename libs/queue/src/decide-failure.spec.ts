import { AppError, type ErrorCode } from '@candor/contracts';
import { decideFailure, type FailureFacts } from './decide-failure.js';

function facts(code: ErrorCode, changes: Partial<FailureFacts> = {}): FailureFacts {
  return {
    error: new AppError(code),
    aborted: undefined,
    oneShot: false,
    servesOthers: false,
    attemptsMade: 0,
    attempts: 3,
    ...changes,
  };
}

describe('decideFailure', () => {
  it.each([
    ['a retryable failure', facts('INTERNAL.UNEXPECTED'), 'retry'],
    ['the last attempt', facts('INTERNAL.UNEXPECTED', { attemptsMade: 2 }), 'dead-letter'],
    ['a permanent failure', facts('EXTRACT.EMPTY'), 'dead-letter'],
    ['a dependency that is down', facts('DEPENDENCY.INDEX_UNAVAILABLE', { attemptsMade: 2 }), 'park'],
    [
      'a dependency failure that its thrower calls permanent',
      facts('INTERNAL.UNEXPECTED', { error: new AppError('DEPENDENCY.INDEX_UNAVAILABLE', { retryable: false }) }),
      'dead-letter',
    ],
    [
      'a dependency that is down, for one attempt',
      facts('DEPENDENCY.RETRIEVAL_UNAVAILABLE', { oneShot: true, attempts: 1 }),
      'dead-letter',
    ],
    ['a cancellation', facts('REQUEST.CANCELLED', { aborted: 'cancelled' }), 'cancel'],
    ['a stop of the worker', facts('REQUEST.CANCELLED', { aborted: 'stopping' }), 'park'],
    [
      'a stop of the worker, for one attempt',
      facts('REQUEST.CANCELLED', { aborted: 'stopping', oneShot: true }),
      'dead-letter',
    ],
    ['a statement that takes too long', facts('DEPENDENCY.DATABASE_TIMEOUT'), 'retry'],
    [
      'one that took too long each time, while others are served',
      facts('DEPENDENCY.DATABASE_TIMEOUT', { attemptsMade: 2, servesOthers: true }),
      'dead-letter',
    ],
    [
      'one that took too long each time, while nobody is served',
      facts('DEPENDENCY.DATABASE_TIMEOUT', { attemptsMade: 2 }),
      'park',
    ],
    [
      'a dependency that is down, whoever else is served',
      facts('DEPENDENCY.DATABASE_UNAVAILABLE', { attemptsMade: 2, servesOthers: true }),
      'park',
    ],
    ['a timeout', facts('DEADLINE.EXCEEDED', { aborted: 'timeout' }), 'retry'],
  ])('%s', (_label, given, outcome) => {
    expect(decideFailure(given)).toBe(outcome);
  });
});
