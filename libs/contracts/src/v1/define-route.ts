import type { z } from 'zod';
import type { AuditAction } from '../audit/audit-actions.js';
import type { Action } from '../caller-scope.js';

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Of a body, where its route says nothing else. */
export const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;

export interface RouteContract<
  Body extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Params extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  method: HttpMethod;
  /** With `:name` parameters, e.g. `/v1/source-items/:id`. */
  path: string;
  summary: string;
  description?: string;
  /**
   * The action a key needs; `authenticated` = any valid key; `signed` = no key, the handler proves the sender by the
   * body's signature. There is no default, so no route ships open.
   */
  action: Action | 'authenticated' | 'signed';
  /** Written for every authenticated request, before the response. */
  audit: AuditAction;
  body?: Body;
  query?: Query;
  params?: Params;
  response: Response;
  /** Status of success. */
  status: 200 | 201 | 202 | 204;
  /** Status reads are not limited. Default true. */
  rateLimited?: boolean;
  /**
   * Accepts `Idempotency-Key`: so does each POST that writes, but for those whose response has a secret (keys, tenants),
   * which is stored nowhere.
   */
  idempotent?: boolean;
  /** Default: `DEFAULT_BODY_LIMIT_BYTES`. */
  bodyLimitBytes?: number;
  /** Also takes multipart/form-data with one `file`. */
  upload?: {
    fileBytes: number;
    /** Text fields that hold several values. */
    listFields: readonly string[];
  };
}

export function defineRoute<
  Body extends z.ZodType,
  Query extends z.ZodType,
  Params extends z.ZodType,
  Response extends z.ZodType,
>(route: RouteContract<Body, Query, Params, Response>): RouteContract<Body, Query, Params, Response> {
  return route;
}

export type BodyOf<R> = R extends { body?: infer B } ? (B extends z.ZodType ? z.output<B> : never) : never;
export type QueryOf<R> = R extends { query?: infer Q } ? (Q extends z.ZodType ? z.output<Q> : never) : never;
export type ParamsOf<R> = R extends { params?: infer P } ? (P extends z.ZodType ? z.output<P> : never) : never;
export type ResponseOf<R> = R extends { response: infer S } ? (S extends z.ZodType ? z.input<S> : never) : never;
