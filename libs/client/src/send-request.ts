import ky, { HTTPError, TimeoutError } from 'ky';
import { v4 as randomUuid } from 'uuid';
import { ConnectionError, DeadlineError, toApiError } from './errors.js';
import type { CallOptions } from './types.js';

export interface ClientOptions {
  /** Of the gateway, e.g. `https://candor.example.com`. */
  url: string;
  apiKey: string;
  /** Longest time of a call with all its retries, ms; default 60,000. */
  deadlineMs?: number;
  retries?: RetryOptions;
  /** Default: the platform's. */
  fetch?: typeof globalThis.fetch;
}

export interface RetryOptions {
  /** After the first attempt; default 4, 0 = none. */
  limit?: number;
  /** Which answers are tried again; default 429 and 503. */
  statuses?: readonly number[];
  /** Longest pause; what asks for a longer one with `Retry-After` isn't tried again. ms, default 60,000. */
  longestPauseMs?: number;
}

export interface OutgoingRequest {
  method: string;
  path: string;
  /** A form, or JSON. */
  body: { json: unknown } | { form: FormData } | undefined;
  takesIdempotencyKey: boolean;
  /** Sent twice, it has happened once. */
  isRepeatable: boolean;
}

const DEFAULT_DEADLINE_MS = 60_000;

/**
 * Sends, and tries again as the server asks: after `Retry-After`, else after pauses that double. What must not happen
 * twice is only tried again when the server has refused it; a pause beyond the deadline is not begun: the refusal says more.
 * @returns the parsed body, null when there is none
 * @throws ApiError, ConnectionError, DeadlineError; the signal's own reason when the caller aborts
 */
export async function sendRequest(
  client: ClientOptions,
  request: OutgoingRequest,
  options: CallOptions = {},
): Promise<unknown> {
  const { signal } = options;
  signal?.throwIfAborted();
  const deadlineMs = options.deadlineMs ?? client.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const giveUpAt = Date.now() + deadlineMs;
  const deadline = AbortSignal.timeout(deadlineMs);
  const { limit = 4, statuses = [429, 503], longestPauseMs = 60_000 } = client.retries ?? {};
  try {
    const response = await ky(`${client.url.replace(/\/+$/, '')}/${request.path}`, {
      method: request.method,
      headers: {
        authorization: `API-Key ${client.apiKey}`,
        ...(request.takesIdempotencyKey ? { 'idempotency-key': options.idempotencyKey ?? randomUuid() } : {}),
      },
      ...(request.body && 'json' in request.body ? { json: request.body.json } : {}),
      ...(request.body && 'form' in request.body ? { body: request.body.form } : {}),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      timeout: false,
      ...(client.fetch ? { fetch: client.fetch } : {}),
      retry: {
        limit,
        methods: ['get', 'post', 'put', 'patch', 'delete'],
        statusCodes: [...statuses],
        afterStatusCodes: [...statuses],
        backoffLimit: longestPauseMs,
        jitter: true,
        shouldRetry: ({ error }) => shouldRetry(error, request, Math.min(longestPauseMs, giveUpAt - Date.now())),
      },
    });
    options.onResponse?.({
      status: response.status,
      requestId: response.headers.get('x-request-id') ?? '',
      headers: response.headers,
    });
    const text = await response.text();
    if (response.headers.get('content-type')?.startsWith('application/x-ndjson')) return text;
    return text === '' ? null : (JSON.parse(text) as unknown);
  } catch (error) {
    signal?.throwIfAborted();
    if (deadline.aborted || error instanceof TimeoutError)
      throw new DeadlineError('The deadline passed before an answer came.', { cause: error });
    if (error instanceof HTTPError) throw await readRefusal(error.response);
    if (error instanceof SyntaxError)
      throw new ConnectionError(`What answers at ${client.url} is no Candor gateway.`, { cause: error });
    throw new ConnectionError(`${client.url} cannot be reached.`, { cause: error });
  }
}

/** undefined = by the status. */
async function shouldRetry(
  error: Error,
  request: OutgoingRequest,
  longestPauseMs: number,
): Promise<boolean | undefined> {
  // No answer came: whether the server has done it, nobody knows.
  if (!(error instanceof HTTPError)) return request.isRepeatable;
  const refusal = await readRefusal(error.response.clone());
  if ((refusal.retryAfterSeconds ?? 0) * 1_000 > longestPauseMs) return false;
  // The first attempt is still at work under this key; its answer comes.
  return refusal.type === 'IDEMPOTENCY.IN_PROGRESS' ? true : undefined;
}

async function readRefusal(response: Response) {
  const body: unknown = await response.json().catch(() => null);
  return toApiError(response.status, response.headers, body);
}
