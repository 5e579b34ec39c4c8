import { fetch, Response, type Dispatcher, type RequestInit } from 'undici';
import { findAppError } from './find-app-error.js';
import { createGuardedDispatcher } from './guarded-dispatcher.js';
import { readLimitedBody } from './read-limited-body.js';
import { retryRequest, type RetryLimits } from './retry-request.js';
import { TransientFailure, judgeResponse } from './transient-failure.js';

const MEBIBYTE = 1024 * 1024;
export const MAX_ANSWER_BYTES = 32 * MEBIBYTE;

export interface OutboundOptions {
  /** Only the operator's configuration may set it: loopback, private networks and plain http are reachable then. */
  allowPrivateAddresses: boolean;
  retry?: RetryLimits | undefined;
}

export interface OutboundCall {
  signal: AbortSignal;
  /** Of the decoded body; larger ones fail with `CONNECTOR.ITEM_TOO_LARGE`. Default 32 MiB. */
  maxBytes?: number | undefined;
}

export type OutboundFetch = (url: string | URL, init?: OutboundInit) => Promise<Response>;

/** What the providers' clients pass to their `fetch`. */
export interface OutboundInit {
  method?: string | undefined;
  headers?: unknown;
  body?: unknown;
  redirect?: 'error' | 'follow' | 'manual' | undefined;
  signal?: AbortSignal | null | undefined;
}

/**
 * The one way out for connectors: addresses are guarded, sizes bounded, short rate limits and outages retried, and abort
 * is obeyed. An answer is read whole before it is handed over, so that one that breaks off is retried too.
 */
export class OutboundHttp {
  private readonly dispatcher: Dispatcher;

  constructor(private readonly options: OutboundOptions) {
    this.dispatcher = createGuardedDispatcher(options);
  }

  /** A `fetch` for one call or slice. Throws AppErrors: `CONNECTOR.*`, or `REQUEST.CANCELLED` on abort. */
  fetchFor({ signal, maxBytes = MAX_ANSWER_BYTES }: OutboundCall): OutboundFetch {
    return async (url, init = {}) =>
      retryRequest(() => this.ask(url, init, signal, maxBytes), signal, this.options.retry);
  }

  private async ask(url: string | URL, init: OutboundInit, signal: AbortSignal, maxBytes: number): Promise<Response> {
    const bothSignals = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
    const response = await this.send(url, init, bothSignals);
    const body = await readLimitedBody(response, maxBytes);
    const failure = judgeResponse(response, body);
    if (failure !== null) throw failure;
    const isBodiless = [101, 204, 205, 304].includes(response.status);
    return new Response(isBodiless ? null : body, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  }

  private async send(url: string | URL, init: OutboundInit, signal: AbortSignal): Promise<Response> {
    try {
      return await fetch(url, {
        method: init.method ?? 'GET',
        headers: init.headers as RequestInit['headers'],
        body: init.body as RequestInit['body'],
        redirect: init.redirect ?? 'follow',
        signal,
        dispatcher: this.dispatcher,
      });
    } catch (error) {
      throw findAppError(error) ?? new TransientFailure('unavailable', { cause: error });
    }
  }
}
