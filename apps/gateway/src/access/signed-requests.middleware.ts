import express, { type RequestHandler } from 'express';
import { AppError, ROUTES } from '@candor/contracts';

const BODY_LIMIT = 1024 * 1024;

/** Routes whose sender is proved by the body's signature instead of a key. */
const SIGNED_PATHS = ROUTES.filter((route) => route.action === 'signed').map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+')}$`),
}));

export function isSignedRequest(method: string, path: string): boolean {
  return SIGNED_PATHS.some((route) => route.method === method && route.pattern.test(path));
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
