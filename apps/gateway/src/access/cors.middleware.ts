import cors from 'cors';
import type { RequestHandler } from 'express';
import { z } from 'zod';

/** Whose pages may call the API from a browser; nobody's by default. */
export const corsEnvironment = {
  CANDOR_CORS_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((origin) => origin.trim() || []))
    .refine(
      (origins) =>
        origins.every((origin) => !origin.includes('*') && URL.canParse(origin) && new URL(origin).origin === origin),
      'must be origins like https://app.example.org, comma-separated',
    )
    .describe('Origins, comma-separated, whose pages may call /v1 from a browser; default: none.'),
};

const API_PATH = /^\/v1(\/|$)/i;
const PREFLIGHT_SECONDS = 600;

/**
 * Answers a browser's question beforehand, which comes without a key, and lets the pages of the named origins read answers.
 * Keys are sent by hand and never by the browser, so no credentials are allowed; `*` can't be configured.
 */
export function corsMiddleware(origins: readonly string[], next: RequestHandler): RequestHandler {
  if (origins.length === 0) return next;
  const share = cors({
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
    exposedHeaders: ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'],
    maxAge: PREFLIGHT_SECONDS,
    optionsSuccessStatus: 204,
  });
  const allowed = new Set(origins);
  return (request, response, proceed) => {
    if (!API_PATH.test(request.path)) return void next(request, response, proceed);
    response.vary('Origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return void next(request, response, proceed);
    share(request, response, (error?: unknown) => {
      if (error === undefined) return void next(request, response, proceed);
      proceed(error);
    });
  };
}
