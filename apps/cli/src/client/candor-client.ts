import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  isErrorCode,
  type IngestDocument,
  type IngestionStatus,
  type IngestResponse,
} from '@candor/contracts';
import type { Connection } from '../config.js';

/** A file to upload, with the fields of POST /v1/documents. */
export interface UploadInput {
  name: string;
  bytes: Uint8Array;
  externalId: string;
  sourceUpdatedAt: string;
  tags: readonly string[];
  metadata: Record<string, unknown>;
}

export interface UploadResult {
  id: string;
  requestId: string;
  status: string;
}

interface Attempted {
  method: 'GET' | 'POST';
  path: string;
  /** Made anew for each attempt: a form can be sent once. */
  body?: () => string | FormData;
}

const MAX_ATTEMPTS = 8;
const MAX_WAIT_SECONDS = 60;
const RETRIED = new Set([429, 502, 503, 504]);

/** The part of the API that importing needs. Waits when the server asks for it; a repeated write has one effect. */
export class CandorClient {
  constructor(
    private readonly connection: Connection,
    private readonly signal: AbortSignal,
  ) {}

  async ingest(documents: readonly IngestDocument[]): Promise<IngestResponse> {
    const body = JSON.stringify({ documents });
    return (await this.call({ method: 'POST', path: '/v1/ingest', body: () => body })) as IngestResponse;
  }

  async upload(input: UploadInput): Promise<UploadResult> {
    const body = (): FormData => {
      const form = new FormData();
      form.set('externalId', input.externalId);
      form.set('sourceUpdatedAt', input.sourceUpdatedAt);
      form.set('metadata', JSON.stringify(input.metadata));
      if (input.tags.length > 0) form.set('tags', JSON.stringify(input.tags));
      form.set('file', new Blob([Uint8Array.from(input.bytes)]), input.name);
      return form;
    };
    const answer = await this.call({ method: 'POST', path: '/v1/documents', body });
    return (answer as { data: UploadResult }).data;
  }

  async readIngestion(requestId: string): Promise<IngestionStatus> {
    return (await this.call({ method: 'GET', path: `/v1/ingestions/${requestId}` })) as IngestionStatus;
  }

  private async call(request: Attempted): Promise<unknown> {
    const key = randomUUID();
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.attempt(request, key);
      if (outcome.kind === 'answer') return outcome.body;
      if (attempt === MAX_ATTEMPTS || !outcome.isRetryable) throw outcome.error;
      const seconds = outcome.error.retryAfterSeconds ?? Math.min(2 ** (attempt - 1), 15);
      await sleep(Math.min(seconds, MAX_WAIT_SECONDS) * 1_000, undefined, { signal: this.signal }).catch(() => {
        throw cancelled();
      });
    }
  }

  private async attempt(
    { method, path, body }: Attempted,
    idempotencyKey: string,
  ): Promise<{ kind: 'answer'; body: unknown } | { kind: 'refused'; error: AppError; isRetryable: boolean }> {
    let response: Response;
    try {
      const sent = body?.();
      response = await fetch(`${this.connection.url}${path}`, {
        method,
        headers: {
          authorization: `API-Key ${this.connection.apiKey}`,
          ...(method === 'POST' ? { 'idempotency-key': idempotencyKey } : {}),
          ...(typeof sent === 'string' ? { 'content-type': 'application/json' } : {}),
        },
        ...(sent === undefined ? {} : { body: sent }),
        signal: this.signal,
      });
    } catch (cause) {
      if (this.signal.aborted) throw cancelled();
      const message = `${this.connection.url} cannot be reached.`;
      return { kind: 'refused', error: new AppError('INTERNAL.UNEXPECTED', { message, cause }), isRetryable: true };
    }
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok) return { kind: 'answer', body: answer };
    const error = toAppError(response, answer);
    // Still running under this key: the first attempt's answer comes.
    const isRetryable = RETRIED.has(response.status) || error.code === 'IDEMPOTENCY.IN_PROGRESS';
    return { kind: 'refused', error, isRetryable };
  }
}

function toAppError(response: Response, body: unknown): AppError {
  const { error } = (body ?? {}) as { error?: { type?: unknown; message?: unknown } };
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new AppError(isErrorCode(error?.type) ? error.type : 'INTERNAL.UNEXPECTED', {
    message: typeof error?.message === 'string' ? error.message : `The server answered ${response.status}.`,
    ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
  });
}

function cancelled(): AppError {
  return new AppError('REQUEST.CANCELLED', { message: 'Interrupted. Run the same command again to go on.' });
}
