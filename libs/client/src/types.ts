import type * as contracts from '@candor/contracts';
import type { z } from 'zod';
import type { ENDPOINTS } from './endpoints.js';

type Contracts = typeof contracts;

/** The routes of the API by name: `search` is `searchRoute` of the contracts. */
export type EndpointName = keyof typeof ENDPOINTS;
type RouteOf<Name extends EndpointName> = Contracts[`${Name}Route`];

/** Ids come as plain strings from everywhere else. */
type Plain<Value> = Value extends string
  ? string extends Value
    ? string
    : Value extends z.core.$brand
      ? string
      : Value
  : Value extends readonly (infer Item)[]
    ? Plain<Item>[]
    : Value;

type InputOf<Schema> = Schema extends z.ZodType ? NoEmpty<Exclude<z.input<Schema>, undefined>> : unknown;
/** An empty body has the type of one in which every field is `never`, which would forbid the path's parameters, too. */
type NoEmpty<Input> = string extends keyof Input ? unknown : Input;
/** Numbers, lists and yes or no are written out for the query string. */
type QueryInputOf<Schema> = Schema extends z.ZodType
  ? { [Field in keyof z.output<Schema>]?: Plain<Exclude<z.output<Schema>[Field], undefined>> | undefined }
  : unknown;
type BodyOf<Route> = Route extends { body?: infer Body } ? InputOf<Exclude<Body, undefined>> : unknown;
type QueryOf<Route> = Route extends { query?: infer Query } ? QueryInputOf<Exclude<Query, undefined>> : unknown;
type ParamsOf<Route> = Route extends { params?: infer Params } ? InputOf<Exclude<Params, undefined>> : unknown;

/** Path parameters, query and body of a route in one object. */
export type Sent<Name extends EndpointName> = ParamsOf<RouteOf<Name>> & QueryOf<RouteOf<Name>> & BodyOf<RouteOf<Name>>;

/** The body of the response; null where there is none. */
export type Received<Name extends EndpointName> =
  RouteOf<Name> extends { response: infer Response }
    ? Response extends z.ZodType
      ? z.output<Response>
      : never
    : never;

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Longest time with all retries, ms; default: the client's. */
  deadlineMs?: number | undefined;
  /** Of a write that this call repeats; default: a new one for each call. */
  idempotencyKey?: string | undefined;
  /** Hears of the response's headers, `X-Request-Id` among them. */
  onResponse?: ((response: { status: number; requestId: string; headers: Headers }) => void) | undefined;
}

/* eslint-disable @typescript-eslint/no-empty-object-type -- `{}` asks whether an empty object would do */
export type CallArguments<Name extends EndpointName> =
  {} extends Sent<Name> ? [input?: Sent<Name>, options?: CallOptions] : [input: Sent<Name>, options?: CallOptions];
/* eslint-enable @typescript-eslint/no-empty-object-type */

/** One method for each route. */
export type Endpoints = {
  [Name in EndpointName]: (...args: CallArguments<Name>) => Promise<Received<Name>>;
};
