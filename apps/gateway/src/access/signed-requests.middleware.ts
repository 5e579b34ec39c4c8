import express, { type RequestHandler } from 'express';
import { AppError } from '@candor/contracts';
import { matchRoute } from '../request/match-route.js';

const BODY_LIMIT = 1024 * 1024;

/** Routes whose sender is proved by the body's signature instead of a key. */
const signedRoute = matchRoute((route) => (route.action === 'signed' ? route : undefined));

export function isSignedRequest(method: string, path: string): boolean {
  return signedRoute(method, path) !== undefined;
}

/** Keeps the body of signed requests as it was sent; all others go to `otherwise`. */
export function signedBodyMiddleware(otherwise: RequestHandler): RequestHandler {
  const readRaw = express.raw({ limit: BODY_LIMIT, type: () => true, inflate: false });
  return (request, response, next) => {
    if (!isSignedRequest(request.method, request.path)) return void otherwise(request, response, next);
    readRaw(request, response, (error?: unknown) => {
      next(error === undefined ? undefined : toBodyError(error));
    });
  };
}

function toBodyError(cause: unknown): AppError {
  const status = cause instanceof Error && 'status' in cause ? cause.status : undefined;
  if (status === 413) return new AppError('REQUEST.TOO_LARGE', { cause });
  if (status === 415) return new AppError('REQUEST.UNSUPPORTED_MEDIA_TYPE', { cause });
  return new AppError('REQUEST.INVALID', { message: 'body could not be read', cause });
}
