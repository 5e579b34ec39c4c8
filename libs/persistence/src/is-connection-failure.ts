import { types } from 'node:util';

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'ENOENT',
]);
/** Class 08 (connection), 57P0x (shut down, starting up), 53300 (too many connections). */
const SQL_STATES = /^(08...|57P0[1-5]|53300)$/;
/** What node-postgres says without a code. */
const MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|^Query read timeout$|Client has encountered a connection error|connection error and is not queryable/;

/** What TypeORM says to the next statement of a transaction whose connection broke between two of them. */
const RELEASED = new Set(['QueryRunnerAlreadyReleasedError', 'QueryRunnerProviderAlreadyReleasedError']);

/** Whether the failure means "the server can't be reached now" and not "the statement was wrong". */
export function isConnectionFailure(error: unknown): boolean {
  // Not `instanceof`: a socket error may come from another realm (test runners, workers).
  if (!types.isNativeError(error)) return false;
  const { code, driverError, errors } = error as Error & { code?: unknown; driverError?: unknown; errors?: unknown };
  if (typeof code === 'string' && (SOCKET_CODES.has(code) || SQL_STATES.test(code))) return true;
  if (MESSAGES.test(error.message) || RELEASED.has(error.name)) return true;
  if (Array.isArray(errors) && errors.some(isConnectionFailure)) return true;
  return driverError !== undefined && driverError !== error && isConnectionFailure(driverError);
}
