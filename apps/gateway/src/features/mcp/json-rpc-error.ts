import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { AppError } from '@candor/contracts';
import { toErrorBody, type ErrorBody } from '@candor/runtime';

/** Of the protocol: a resource that there is not, or not for this caller. */
const RESOURCE_NOT_FOUND = -32002;
/** The range that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32000;

/** An error of a method that has no error result of its own; `data` is the REST API's error. */
export class JsonRpcError extends Error {
  readonly code: number;
  readonly data: ErrorBody['error'];

  constructor(error: AppError, requestId: string) {
    super(error.message, { cause: error });
    this.code = codeOf(error.status);
    this.data = toErrorBody(error, requestId).error;
  }
}

function codeOf(status: number): number {
  if (status === 404) return RESOURCE_NOT_FOUND;
  return status === 400 ? ErrorCode.InvalidParams : SERVER_ERROR;
}
