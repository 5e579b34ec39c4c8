import type { AccessPolicy, AppError, IngestDocument, Provider } from '@candor/contracts';

/** A file as the provider holds it; its text is extracted later, off the event loop. */
export interface FileContent {
  kind: 'file';
  name: string;
  /** IANA media type as the provider states it; decided by the bytes where the two differ. */
  mediaType: string;
  bytes: Uint8Array;
}

export interface TextContent {
  kind: 'text';
  body: string;
  mimeType: IngestDocument['mimeType'];
}

/** What a provider says about one item now. Tenant, connector and sync time are added by whoever runs the sync. */
export interface ConnectorItem extends Pick<
  IngestDocument,
  'sourceKind' | 'externalId' | 'title' | 'url' | 'authorName' | 'sourceCreatedAt' | 'sourceUpdatedAt' | 'metadata'
> {
  /** null = unknown or unreadable: the item is withheld, not public, and counted. */
  accessPolicy: AccessPolicy | null;
  /**
   * The provider's own mark of the content (a revision id, a checksum); null when it has none. While it stays the same
   * `load` isn't called: a change of access or title alone costs no download.
   */
  contentRevision: string | null;
  /**
   * Errors: an AppError of a permanent kind fails this item alone; a retryable one ends the slice, which is repeated, unless
   * the item is given up for it (see `ReadOptions`).
   */
  load(signal: AbortSignal): Promise<TextContent | FileContent>;
}

/** One item that couldn't be read; the run goes on. */
export interface ItemFailure {
  externalId: string;
  title: string | null;
  error: AppError;
}

/**
 * Who may see all stored items whose metadata hold these values: taken over at once, without reading any of them. For
 * policies that many items share, such as a channel's.
 */
export interface PolicyChange {
  matching: Record<string, string>;
  /** What their metadata say of it; the rest of them stays. */
  metadata: Record<string, boolean>;
  /** null = unknown or unreadable: the items are withheld. */
  accessPolicy: AccessPolicy | null;
}

/** A page of changes. Nothing of it counts before all of it is stored, together with its cursor. */
export interface SyncBatch {
  items: ConnectorItem[];
  /** Stored before the items are read. */
  policyOf?: PolicyChange;
  /** Gone at the source, or no longer readable by us. */
  deletedIds: string[];
  failures: ItemFailure[];
  /** JSON; where the next slice goes on after this batch, also after a crash. */
  cursor: SyncCursor;
  /** True on the last one: called again with its cursor, the connector would begin the next incremental run. */
  isLast?: boolean;
}

/** A page of a listing that says more of its ids. */
export interface ListedPage {
  ids: string[];
  /** They may exist: those that are stored stay, and no other is missed. */
  areGuesses?: boolean;
  /** ISO instants by id: what was stored when less had been said is read again by `refresh`. */
  activeAt?: Record<string, string>;
}

/** Said by a listing that doesn't see everything: ids that begin otherwise are not judged, and the run tells why. */
export interface ListingLimit {
  onlyUnder: string[];
  failure: ItemFailure;
}

/** Changes that belong to no pass, and so have no cursor. */
export type ItemChanges = Pick<SyncBatch, 'items' | 'policyOf' | 'deletedIds' | 'failures'>;

export type SyncCursor = Record<string, unknown>;

export interface ReadOptions {
  /**
   * The same place has kept the run from going on too often: what fails there about one item is reported as that item's
   * failure, even an error that may pass. Never a rate limit, nor what isn't about one item: of requests of a kind that fail in
   * a row, the third is thrown (see `OutageGuard`; of Slack's channels already the second, see `leaveChannel`).
   */
  giveUp: boolean;
}

/**
 * One account at one provider. Errors, from every method: `CONNECTOR.CREDENTIALS_REJECTED` (permanent),
 * `CONNECTOR.RATE_LIMITED` (retryable, with `retryAfterSeconds`), `CONNECTOR.UNAVAILABLE` (retryable: 5xx, network,
 * unreadable answer), `REQUEST.CANCELLED` on abort. Short rate limits and single 5xx are retried inside.
 */
export interface SourceConnector {
  readonly provider: Provider;
  /** One cheap call that proves the credentials. */
  check(signal: AbortSignal): Promise<{ account: string }>;
  /**
   * Changes since the cursor, oldest first where the provider allows it; null = everything. Batches are small (at most
   * about 50 items) and may come in any number of slices: a caller stops after any batch and goes on from its cursor.
   * The last batch's cursor starts the next incremental run. Items may repeat; the caller is idempotent. A caller that
   * gives up takes batches until the cursor moves.
   */
  changes(cursor: SyncCursor | null, signal: AbortSignal, options?: ReadOptions): AsyncIterable<SyncBatch>;
  /**
   * External ids of everything that exists now, in pages: what a reconciliation compares with what is stored. Rather one
   * that doesn't exist (see `areGuesses`) than one too few: what is named and not stored, and what no run brings meanwhile,
   * is asked for by `refresh`, or by a full run.
   */
  listIds(signal: AbortSignal): AsyncIterable<string[] | ListedPage | ListingLimit>;
  /**
   * Which of these ids, that are stored and that the listing lacks, are proved to be gone; the others are kept. Absent
   * where a listing is sure to name all that exists.
   */
  confirmGone?(externalIds: readonly string[], signal: AbortSignal): Promise<string[]>;
  /**
   * Items that an event told of, by external id: what they are now, however long ago the changes passed them by. Ids of
   * what this source doesn't cover are left out. Absent where the changes miss nothing.
   */
  refresh?(externalIds: readonly string[], signal: AbortSignal, options?: ReadOptions): AsyncIterable<ItemChanges>;
}
