import type { z } from 'zod';
import type { RouteContract } from '@candor/contracts';

export interface ApiResponse<Body = unknown> {
  status: number;
  headers: Headers;
  /** Parsed JSON; null for an empty body, the text itself for anything else. */
  body: Body;
  text: string;
  /** Of the `X-Request-Id` header; empty when there is none. */
  requestId: string;
}

export interface SendOptions {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, with `application/json` unless the headers say otherwise. */
  rawBody?: string | Uint8Array;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

type InputOfSchema<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;
type SentBody<Route> = Route extends { body?: infer Body } ? InputOfSchema<Body> : never;
type SentQuery<Route> = Route extends { query?: infer Query } ? Partial<InputOfSchema<Query>> : never;
type SentParams<Route> = Route extends { params?: infer Params } ? InputOfSchema<Params> : never;
type Received<Route> = Route extends { response: infer Response }
  ? Response extends z.ZodType
    ? z.output<Response>
    : never
  : never;

export interface CallInput<Route> {
  params?: SentParams<Route>;
  query?: SentQuery<Route>;
  body?: SentBody<Route>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A caller of the public API over HTTP. */
export class ApiClient {
  constructor(
    readonly url: string,
    /** null = sends no key. */
    readonly key: string | null,
  ) {}

  withKey(key: string | null): ApiClient {
    return new ApiClient(this.url, key);
  }

  async send(method: string, path: string, options: SendOptions = {}): Promise<ApiResponse> {
    const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.key === null ? {} : { authorization: `API-Key ${this.key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: parseBody(text, response.headers.get('content-type') ?? ''),
      text,
      requestId: response.headers.get('x-request-id') ?? '',
    };
  }

  get(path: string, headers?: Record<string, string>): Promise<ApiResponse> {
    return this.send('GET', path, headers ? { headers } : {});
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse> {
    return this.send('POST', path, { body, ...(headers ? { headers } : {}) });
  }

  delete(path: string): Promise<ApiResponse> {
    return this.send('DELETE', path);
  }

  /** One call that has to succeed: the status is the route's, and the body has exactly the fields of its contract. */
  async call<Route extends RouteContract>(route: Route, input: CallInput<Route> = {}): Promise<Received<Route>> {
    return (await this.exchange(route, input)).body;
  }

  /** As `call`, with the headers. */
  async exchange<Route extends RouteContract>(
    route: Route,
    input: CallInput<Route> = {},
  ): Promise<ApiResponse<Received<Route>>> {
    const { params, query, ...options } = input;
    const response = await this.send(route.method, fillPath(route.path, params) + toQuery(query), options);
    if (response.status !== route.status)
      throw new Error(`${route.method} ${route.path} answered ${response.status}: ${response.text.slice(0, 2000)}`);
    const parsed = route.response.safeParse(response.body);
    if (!parsed.success)
      throw new Error(
        `${route.method} ${route.path} broke its contract: ${parsed.error.message}\n${response.text.slice(0, 2000)}`,
      );
    return { ...response, body: response.body as Received<Route> };
  }
}

function parseBody(text: string, contentType: string): unknown {
  if (text === '') return null;
  return contentType.startsWith('application/json') ? (JSON.parse(text) as unknown) : text;
}

/** `/v1/x/:id` and `{id: '…'}` → `/v1/x/…`, encoded. */
export function fillPath(path: string, params: unknown): string {
  return path.replace(/:([A-Za-z]+)/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown> | undefined)?.[name])),
  );
}

function toQuery(query: unknown): string {
  const entries = Object.entries((query ?? {}) as Record<string, unknown>).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return '';
  return `?${new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)])).toString()}`;
}
