import type { IngestDocument } from '@candor/contracts';

/** POST /v1/ingest takes 500; a smaller call is answered sooner. */
const MOST_DOCUMENTS = 100;
/** Characters of bodies; well below what the server takes in one call. */
const MOST_LENGTH = 4_000_000;

/** Gathers documents into calls of POST /v1/ingest; what `send` throws ends the gathering. */
export class DocumentBatch {
  private documents = new Map<string, IngestDocument>();
  private length = 0;

  constructor(private readonly send: (documents: readonly IngestDocument[]) => Promise<void>) {}

  async add(document: IngestDocument): Promise<void> {
    const key = JSON.stringify([document.provider, document.connectorId ?? null, document.externalId]);
    // The same item twice in a call is refused; the later one is newer.
    if (
      this.documents.size >= MOST_DOCUMENTS ||
      this.length + document.body.length > MOST_LENGTH ||
      this.documents.has(key)
    )
      await this.flush();
    this.documents.set(key, document);
    this.length += document.body.length;
  }

  /** Sends what has been gathered; at the end, too. */
  async flush(): Promise<void> {
    const documents = [...this.documents.values()];
    this.documents = new Map();
    this.length = 0;
    if (documents.length > 0) await this.send(documents);
  }
}
