import type { Request, RequestHandler } from 'express';
import { AppError } from '@candor/contracts';
import { requireRequestContext } from '@candor/runtime';
import type { AuthenticatorService } from './authenticator.service.js';
import { countFailedAuthentication } from './failed-authentications.metric.js';

/** The API's own paths; health, metrics and the description of the API take no key. */
const API_PATH = /^\/(v1|mcp)(\/|$)/i;

/** Says who calls before a byte of the body is read, so that strangers parse nothing and every refusal is audited. */
export function authenticationMiddleware(
  authenticator: AuthenticatorService,
  /** The `WWW-Authenticate` of a 401, where the path has one of its own. */
  challengeOf: (request: Request) => string | undefined,
): RequestHandler {
  return (request, response, next) => {
    if (!API_PATH.test(request.path)) return next();
    authenticator.authenticate(request.headers.authorization).then(
      (caller) => {
        const context = requireRequestContext();
        context.apiKey = caller;
        context.caller = caller.scope;
        next();
      },
      (error: unknown) => {
        if (error instanceof AppError && error.status === 401) {
          countFailedAuthentication(error.code);
          const challenge = challengeOf(request);
          if (challenge !== undefined) response.setHeader('WWW-Authenticate', challenge);
        }
        next(error);
      },
    );
  };
}
