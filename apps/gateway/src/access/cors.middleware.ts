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

export interface SharedAnswers {
  isShared: (path: string) => boolean;
  /** Whose pages may call and read the answers. */
  isAllowed: (origin: string) => boolean;
  methods: readonly string[];
  /** That pages may send and read, besides those that every page may. */
  allowedHeaders: readonly string[];
  exposedHeaders: readonly string[];
}

/**
 * Answers a browser's question beforehand, which comes without a key, and lets the pages of the allowed origins read answers.
 * Keys are sent by hand and never by the browser, so no credentials are allowed.
 */
export function shareAnswers(shared: SharedAnswers, next: RequestHandler): RequestHandler {
  const share = cors({
    // Whose it is was asked before.
    origin: true,
    methods: [...shared.methods],
    allowedHeaders: [...shared.allowedHeaders],
    exposedHeaders: [...shared.exposedHeaders],
    maxAge: PREFLIGHT_SECONDS,
    optionsSuccessStatus: 204,
  });
  return (request, response, proceed) => {
    if (!shared.isShared(request.path)) return void next(request, response, proceed);
    response.vary('Origin');
    const { origin } = request.headers;
    if (origin === undefined || !shared.isAllowed(origin)) return void next(request, response, proceed);
    share(request, response, (error?: unknown) => {
      if (error === undefined) return void next(request, response, proceed);
      proceed(error);
    });
  };
}

/** The API's own paths, with the origins that are configured; `*` can't be. */
export function corsMiddleware(origins: readonly string[], next: RequestHandler): RequestHandler {
  if (origins.length === 0) return next;
  const allowed = new Set(origins);
  return shareAnswers(
    {
      isShared: (path) => API_PATH.test(path),
      isAllowed: (origin) => allowed.has(origin),
      methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
      exposedHeaders: [
        'Retry-After',
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
        'X-Request-Id',
      ],
    },
    next,
  );
}
