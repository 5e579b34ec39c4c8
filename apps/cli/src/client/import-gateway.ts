import {
  AppError,
  isErrorCode,
  type IngestDocument,
  type IngestionStatus,
  type IngestResponse,
} from '@candor/contracts';
import {
  ApiError,
  CandorError,
  ConnectionError,
  DeadlineError,
  createCandorClient,
  type CandorClient,
} from '@candor/client';
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

/** Proxies in between answer 502 and 504 while a gateway starts; a repeated write has one effect. */
const RETRIES = { limit: 7, statuses: [429, 502, 503, 504], longestPauseMs: 60_000 };
/** An import is worth waiting for. */
const DEADLINE_MS = 600_000;

/** The part of the API that importing needs. Waits when the server asks for it. */
export class ImportGateway {
  private readonly client: CandorClient;

  constructor(
    connection: Connection,
    private readonly signal: AbortSignal,
  ) {
    this.client = createCandorClient({ ...connection, retries: RETRIES, deadlineMs: DEADLINE_MS });
  }

  ingest(documents: readonly IngestDocument[]): Promise<IngestResponse> {
    return this.run(() => this.client.ingest({ documents: [...documents] }, { signal: this.signal }));
  }

  upload(input: UploadInput): Promise<UploadResult> {
    const { name, bytes, externalId, sourceUpdatedAt, tags, metadata } = input;
    const fields = { externalId, sourceUpdatedAt, metadata, ...(tags.length > 0 ? { tags } : {}) };
    return this.run(async () => {
      const upload = { fileName: name, content: bytes, fields };
      return (await this.client.uploadDocument(upload, { signal: this.signal })).data;
    });
  }

  readIngestion(requestId: string): Promise<IngestionStatus> {
    return this.run(() => this.client.ingestion({ requestId }, { signal: this.signal }));
  }

  private async run<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      if (this.signal.aborted)
        throw new AppError('REQUEST.CANCELLED', { message: 'Interrupted. Run the same command again to go on.' });
      throw toAppError(error);
    }
  }
}

/** Errors of the client as this program's own; all others as they are. */
export function toAppError(error: unknown): unknown {
  if (error instanceof ApiError)
    return new AppError(isErrorCode(error.type) ? error.type : 'INTERNAL.UNEXPECTED', {
      message: error.message,
      cause: error,
      ...(error.details ? { details: error.details } : {}),
    });
  if (error instanceof ConnectionError)
    return new AppError('DEPENDENCY.GATEWAY_UNAVAILABLE', { message: error.message, cause: error });
  if (error instanceof DeadlineError)
    return new AppError('DEADLINE.EXCEEDED', { message: error.message, cause: error });
  if (error instanceof CandorError)
    return new AppError('INTERNAL.UNEXPECTED', { message: error.message, cause: error });
  return error;
}
