import { randomUUID } from 'node:crypto';
import { AppError, requestIdSchema } from '@candor/contracts';
import type { NextFunction, Request, Response } from 'express';
import { createRequestContext, runInRequestContext, type RequestContext } from '../request-context/request-context.js';

const contexts = new WeakMap<object, RequestContext>();

/**
 * First of all: the request id (the caller's own only if it is a UUID, else a new one; echoed in every response), the
 * context everything below runs in, and the signal that fires when the caller hangs up before the response has ended.
 */
export function requestContextMiddleware(request: Request, response: Response, next: NextFunction): void {
  const given = request.headers['x-request-id'];
  const requestId = requestIdSchema.safeParse(given).data ?? randomUUID();
  const controller = new AbortController();
  const context = createRequestContext(requestId, { signal: controller.signal });
  contexts.set(request, context);
  response.setHeader('X-Request-Id', requestId);
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new AppError('REQUEST.CANCELLED'));
  });
  runInRequestContext(context, next);
}

/** The request's context where the asynchronous chain may be broken (error handlers, event listeners). */
export function requestContextOf(request: object): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error('The request did not pass the request context middleware');
  return context;
}
