import type { RequestHandler } from 'express';
import { AppError } from '@candor/contracts';
import { requireRequestContext } from '@candor/runtime';
import type { AuthenticatorService } from './authenticator.service.js';
import { countFailedAuthentication } from './failed-authentications.metric.js';

/** The API's own paths; health, metrics and the description of the API take no key. */
const API_PATH = /^\/v1(\/|$)/;

/** Says who calls before a byte of the body is read, so that strangers parse nothing and every refusal is audited. */
export function authenticationMiddleware(authenticator: AuthenticatorService): RequestHandler {
  return (request, _response, next) => {
    if (!API_PATH.test(request.path)) return next();
    authenticator.authenticate(request.headers.authorization).then(
      (caller) => {
        const context = requireRequestContext();
        context.apiKey = caller;
        context.caller = caller.scope;
        next();
      },
      (error: unknown) => {
        if (error instanceof AppError && error.status === 401) countFailedAuthentication(error.code);
        next(error);
      },
    );
  };
}
