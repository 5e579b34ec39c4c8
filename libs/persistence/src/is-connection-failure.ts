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
/**
 * Class 08 (connection), 57P0x (shut down, starting up), 53300 (too many connections), 55P03 and 40P01 (a lock that wasn't to
 * be had).
 */
const SQL_STATES = /^(08...|57P0[1-5]|53300|55P03|40P01)$/;
const QUERY_CANCELED = '57014';
/** What node-postgres says without a code. */
const MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|^Query read timeout$|Client has encountered a connection error|connection error and is not queryable/;

/** What TypeORM says to the next statement of a transaction whose connection broke between two of them. */
const RELEASED = new Set(['QueryRunnerAlreadyReleasedError', 'QueryRunnerProviderAlreadyReleasedError']);

/** Whether the failure means "the server can't be reached, or can't do it now" and not "the statement was wrong". */
export function isConnectionFailure(error: unknown): boolean {
  // Not `instanceof`: a socket error may come from another realm (test runners, workers).
  if (!types.isNativeError(error)) return false;
  const { code, driverError, errors } = error as Error & { code?: unknown; driverError?: unknown; errors?: unknown };
  if (typeof code === 'string' && (SOCKET_CODES.has(code) || SQL_STATES.test(code))) return true;
  if (isTimeout(error, code)) return true;
  if (MESSAGES.test(error.message) || RELEASED.has(error.name)) return true;
  if (Array.isArray(errors) && errors.some(isConnectionFailure)) return true;
  return driverError !== undefined && driverError !== error && isConnectionFailure(driverError);
}

/** Whether the statement was given up since it took longer than it may; also as the cause of an error of ours. */
export function isStatementTimeout(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  const { code, driverError, cause } = error as Error & { code?: unknown; driverError?: unknown };
  if (isTimeout(error, code)) return true;
  const inner = cause ?? driverError;
  return inner !== error && isStatementTimeout(inner);
}

/** The server has one code for both: a person who cancels a statement means that statement. */
function isTimeout({ message }: Error, code: unknown): boolean {
  return code === QUERY_CANCELED && !message.includes('user request');
}
