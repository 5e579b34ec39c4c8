import { AppError } from '@candor/contracts';
import type { NextFunction, Request, Response } from 'express';

/** Nothing here is a page: no sniffing, no framing, and answers of the API are nobody's cache's business. */
export function securityHeadersMiddleware(request: Request, response: Response, next: NextFunction): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
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
