import { AppError } from '@candor/contracts';
import type { NextFunction, Request, Response } from 'express';

const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Nothing here is a page, but for those that say otherwise: nothing is sniffed, framed, run or sent on to another site, and
 * answers of the API are nobody's cache's business.
 */
export function securityHeadersMiddleware(request: Request, response: Response, next: NextFunction): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  if (/^\/(v1|mcp)(\/|\?|$)/i.test(request.url)) response.setHeader('Cache-Control', 'no-store');
  next();
}

/** Refuses what the router and the query parser would each repair in their own way. */
export function wellFormedUrlMiddleware(request: Request, _: Response, next: NextFunction): void {
  try {
    decodeURIComponent(request.url);
    next();
  } catch (cause) {
    next(
      new AppError('REQUEST.INVALID', {
        message: 'url must be valid percent-encoded UTF-8',
        details: { field: 'url', rule: 'must be valid percent-encoded UTF-8' },
        cause,
      }),
    );
  }
}
