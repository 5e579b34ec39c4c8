import { describe, expect, it } from '@jest/globals';
import { QueryFailedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { AppError } from '@candor/contracts';
import { isConnectionFailure, isStatementTimeout } from './is-connection-failure.js';

const withCode = (code: string, message = 'no'): Error => Object.assign(new Error(message), { code });

describe('isConnectionFailure', () => {
  it.each([
    ['refused', withCode('ECONNREFUSED')],
    ['reset', withCode('ECONNRESET')],
    ['unknown host', withCode('ENOTFOUND')],
    ['no socket file', withCode('ENOENT')],
    ['shut down by the administrator', withCode('57P01')],
    ['crashed', withCode('57P02')],
    ['starting up', withCode('57P03')],
    ['connection class', withCode('08006')],
    ['too many connections', withCode('53300')],
    ['ended by the server', new Error('Connection terminated unexpectedly')],
    ['too slow to connect', new Error('timeout exceeded when trying to connect')],
    ['no answer at all', new Error('Query read timeout')],
    ['lost between two statements', new QueryRunnerAlreadyReleasedError()],
    ['lost between two reads', new QueryRunnerProviderAlreadyReleasedError()],
    ['lost client', new Error('Client has encountered a connection error and is not queryable')],
    ['wrapped by TypeORM', new QueryFailedError('SELECT 1', [], withCode('57P01'))],
    ['wrapped without its code', Object.assign(new Error('x'), { driverError: withCode('EPIPE') })],
    ['a statement that took too long', withCode('57014', 'canceling statement due to statement timeout')],
    ['a lock that took too long', withCode('55P03')],
    ['a deadlock', withCode('40P01')],
    ['all addresses refused', new AggregateError([withCode('ECONNREFUSED')], '')],
  ])('%s', (_name, error) => {
    expect(isConnectionFailure(error)).toBe(true);
  });

  it.each([
    ['a constraint', withCode('23505')],
    ['a syntax error', new QueryFailedError('SELEC', [], withCode('42601'))],
    ['a statement that somebody cancelled', withCode('57014', 'canceling statement due to user request')],
    ['a wrong password', withCode('28P01')],
    ['another dependency', new AppError('DEPENDENCY.QUEUE_UNAVAILABLE', { cause: withCode('ECONNREFUSED') })],
    ['no error object', 'ECONNREFUSED'],
    ['itself as its cause', selfReferring()],
  ])('not: %s', (_name, error) => {
    expect(isConnectionFailure(error)).toBe(false);
  });
});

describe('isStatementTimeout', () => {
  it('tells it from other failures, whoever wrapped it', () => {
    const timeout = withCode('57014', 'canceling statement due to statement timeout');
    const wrapped = new QueryFailedError('SELECT 1', [], timeout);
    expect(isStatementTimeout(timeout)).toBe(true);
    expect(isStatementTimeout(new AppError('DEPENDENCY.DATABASE_UNAVAILABLE', { cause: wrapped }))).toBe(true);
    expect(isStatementTimeout(withCode('57014', 'canceling statement due to user request'))).toBe(false);
    expect(isStatementTimeout(new AppError('DEPENDENCY.DATABASE_UNAVAILABLE', { cause: withCode('57P01') }))).toBe(
      false,
    );
    expect(isStatementTimeout(selfReferring())).toBe(false);
    expect(isStatementTimeout('57014')).toBe(false);
  });
});

function selfReferring(): Error {
  const error: Error & { driverError?: Error } = new Error('x');
  error.driverError = error;
  return error;
}
