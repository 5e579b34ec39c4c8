import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type HttpMethod } from '@candor/contracts';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { FieldIssue } from '../issues/describe-issues.js';
import { findJsonExcess } from './find-json-excess.js';
import { invalidInput } from './parse-route-input.js';
import { bodyErrorToAppError } from './to-app-error.js';

export interface BodyOptions {
  /** Largest body in bytes, for a path as sent (no query string). */
  bodyLimits: (method: HttpMethod, path: string) => number;
  /**
   * True = the handler reads the body itself (uploads); nothing is parsed and the handler keeps the limit.
   * Content types other than JSON are refused elsewhere.
   */
  streamsBody?: (method: HttpMethod, path: string, contentType: string) => boolean;
  /** Hears how many bytes a body has, unpacked, before it is parsed. */
  onBodyRead?: (request: IncomingMessage, bytes: number) => void;
}

/** Parses JSON within the route's limit; `request.body` stays undefined when nothing was sent. */
export function jsonBodyMiddleware({ bodyLimits, streamsBody, onBodyRead }: BodyOptions): RequestHandler {
  const parsers = new Map<number, RequestHandler>();
  const verify: typeof verifyText = (request, response, body, encoding) => {
    onBodyRead?.(request, body.length);
    verifyText(request, response, body, encoding);
  };
  const parserFor = (limit: number): RequestHandler => {
    let parser = parsers.get(limit);
    // `strict: false`: JSON that is no object gets our message from the schema rather than a syntax error.
    if (!parser) parsers.set(limit, (parser = express.json({ limit, strict: false, type: () => true, verify })));
    return parser;
  };

  return (request: Request, response: Response, next: NextFunction) => {
    if (!hasBody(request)) return next();
    const method = request.method as HttpMethod;
    const contentType = mediaTypeOf(request);
    if (streamsBody?.(method, request.path, contentType)) return next();
    if (!isJson(contentType)) {
      return next(new AppError('REQUEST.UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body as application/json.' }));
    }
    return parserFor(bodyLimits(method, request.path))(request, response, (error?: unknown) => {
      const excess = excesses.get(request);
      if (excess) return next(invalidInput([excess]));
      if (error !== undefined) return next(bodyErrorToAppError(error));
      if (emptyBodies.has(request)) request.body = undefined;
      return next();
    });
  };
}

/** The parser gives `{}` for a chunked body of no bytes; a missing body and an empty object are not the same. */
const emptyBodies = new WeakSet<IncomingMessage>();

/** The parser makes an error of its own of whatever `verify` throws. */
const excesses = new WeakMap<IncomingMessage, FieldIssue>();

/** Before a body is parsed: what would be kept broken, or would take far more memory than its bytes. */
function verifyText(request: IncomingMessage, _: ServerResponse, body: Buffer, encoding: string): void {
  if (body.length === 0) emptyBodies.add(request);
  // The decoder would put U+FFFD in place of broken bytes, and the store would keep what nobody sent.
  if (encoding !== 'utf-8') throw bodyError('charset.unsupported');
  if (!isUtf8(body)) throw bodyError('encoding.invalid');
  const excess = findJsonExcess(body);
  if (!excess) return;
  excesses.set(request, excess);
  throw bodyError('entity.excessive');
}

function bodyError(type: string): Error {
  return Object.assign(new Error(type), { type });
}

function hasBody(request: Request): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > 0;
}

/** In lower case and without parameters; empty when none was stated. */
export function mediaTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function isJson(contentType: string): boolean {
  return contentType === 'application/json' || /^application\/[\w.-]+\+json$/.test(contentType);
}
