import type { ENDPOINTS } from './endpoints.js';

export type Endpoint = (typeof ENDPOINTS)[keyof typeof ENDPOINTS];

export interface BuiltRequest {
  /** With parameters and query string, without a slash at its beginning. */
  path: string;
  /** undefined = none is sent. */
  json: Record<string, unknown> | undefined;
}

/** Puts each field of the input where its route has it: path, then query (GET and DELETE) or body. */
export function buildRequest(endpoint: Endpoint, input: Readonly<Record<string, unknown>> = {}): BuiltRequest {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = endpoint.path.slice(1).replace(/:([A-Za-z]+)/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be given`);
    return encodeURIComponent(value);
  });
  if (endpoint.method !== 'GET' && endpoint.method !== 'DELETE')
    // An empty object, too: some routes want a body in which every field is optional, and none minds one.
    return { path, json: Object.fromEntries(rest) };
  const query = new URLSearchParams([...rest].map(([name, value]): [string, string] => [name, toText(value)]));
  return { path: query.size > 0 ? `${path}?${query.toString()}` : path, json: undefined };
}

/** Lists are separated by commas in the API's queries. */
function toText(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}
