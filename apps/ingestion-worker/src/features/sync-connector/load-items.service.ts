import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@candor/contracts';
import {
  Database,
  findDeletedByCaller,
  findKnownItems,
  readStoredContent,
  type KnownItem,
  type NewDocument,
  type SourceConnector as StoredSource,
  type UnchangedDocument,
} from '@candor/persistence';
import { isOutage, OutageGuard } from '../../connectors/outage-guard.js';
import type { ConnectorItem, ItemFailure } from '../../connectors/source-connector.port.js';
import { isStorableId } from './clean-text.js';
import { SYNC_LIMITS, type SyncLimits } from './sync-limits.js';
import { titleOf, toNewDocument, toUnreadDocument, type DocumentContent } from './to-new-document.js';

export interface LoadedItem {
  document: NewDocument | UnchangedDocument;
  contentRevision: string | null;
  isWithheld: boolean;
  /** Its content could not be read, as a failure says: it is stored with what else is known. */
  isUnread: boolean;
}

/** Some items of a batch, ready to be stored. */
export interface LoadedItems {
  loaded: LoadedItem[];
  failures: ItemFailure[];
  /** Left out: callers deleted them. */
  suppressed: number;
  /** The batch is complete with these, and its cursor counts. */
  isLast: boolean;
}

export interface LoadOptions {
  signal: AbortSignal;
  /**
   * Even an error that may pass counts as the item's own: it has kept the run from going on too often. Not where so many
   * loads in a row fail that it is the provider's (see `OutageGuard`).
   */
  giveUp: boolean;
  /** Content that could not be read is given another try; otherwise it waits until it changes. */
  retryFailed: boolean;
}

/** What all loads of a batch have in common. */
interface LoadContext {
  source: StoredSource;
  syncedAt: Date;
  options: LoadOptions;
  guard: OutageGuard;
}

interface LoadOutcome {
  loaded?: LoadedItem;
  failure?: ItemFailure;
}

/** Reads what changed of a batch, and only that: content whose mark is known stays where it is. */
@Injectable()
export class LoadItemsService {
  constructor(
    private readonly database: Database,
    @Inject(SYNC_LIMITS) private readonly limits: SyncLimits,
  ) {}

  /** Most batches come as one; large files are stored as they come, so that memory stays flat. */
  async *load(
    source: StoredSource,
    items: readonly ConnectorItem[],
    options: LoadOptions,
  ): AsyncGenerator<LoadedItems, void> {
    // An item that a batch names twice is what it says last.
    const unique = [...new Map(items.map((item) => [item.externalId, item])).values()];
    const storable = unique.filter(({ externalId }) => isStorableId(externalId));
    const context = { source, syncedAt: new Date(), options, guard: new OutageGuard(options.giveUp) };
    // Which loads fail in a row is known of those that are made in a row.
    const atOnce = options.giveUp ? 1 : this.limits.loadConcurrency;
    const known = await this.findKnown(source, storable);
    const unknown = storable.filter(({ externalId }) => !known.has(externalId));
    const suppressed = await this.findSuppressed(source, unknown);
    const wanted = storable.filter(({ externalId }) => !suppressed.has(externalId));
    let group: LoadedItems = {
      loaded: [],
      failures: unique.filter(isUnstorable).map(refuse),
      suppressed: suppressed.size,
      isLast: false,
    };
    let bytes = 0;
    for (let from = 0; from < wanted.length; from += atOnce) {
      if (bytes >= this.limits.maxBytes) {
        yield group;
        group = { loaded: [], failures: [], suppressed: 0, isLast: false };
        bytes = 0;
      }
      const part = wanted.slice(from, from + atOnce);
      const outcomes = await Promise.all(part.map((item) => this.loadOne(item, known.get(item.externalId), context)));
      for (const { loaded, failure } of outcomes) {
        if (failure) group.failures.push(failure);
        if (!loaded) continue;
        group.loaded.push(loaded);
        bytes += sizeOf(loaded.document);
      }
    }
    yield { ...group, isLast: true };
  }

  private findKnown(source: StoredSource, items: readonly ConnectorItem[]): Promise<Map<string, KnownItem>> {
    const key = { tenantId: source.tenantId, sourceId: source.id };
    const externalIds = items.map(({ externalId }) => externalId);
    return this.database.read((manager) => findKnownItems(manager, key, source.provider, externalIds));
  }

  private async findSuppressed(source: StoredSource, items: readonly ConnectorItem[]): Promise<Set<string>> {
    const { provider, id: connectorId } = source;
    const keys = items.map(({ externalId }, ordinal) => ({ ordinal, provider, connectorId, externalId }));
    const found = await this.database.read((manager) => findDeletedByCaller(manager, source.tenantId, keys));
    return new Set(items.filter((_, ordinal) => found.has(ordinal)).map(({ externalId }) => externalId));
  }

  private async loadOne(
    item: ConnectorItem,
    known: KnownItem | undefined,
    { source, syncedAt, options: { signal, retryFailed }, guard }: LoadContext,
  ): Promise<LoadOutcome> {
    try {
      const content =
        (await this.findContent(item, known, retryFailed)) ??
        toContent(await guard.ask('load', () => item.load(signal)));
      const loaded = {
        document: toNewDocument(item, content, source, syncedAt),
        contentRevision: item.contentRevision,
        isWithheld: item.accessPolicy === null,
        isUnread: false,
      };
      return { loaded };
    } catch (cause) {
      signal.throwIfAborted();
      const error = AppError.from(cause);
      if (error.retryable && !isOfItem(error, guard)) throw error;
      const failure = { externalId: item.externalId, title: item.title, error };
      const document = known && toUnreadDocument(item, known, source);
      if (!document) return { failure };
      const isWithheld = (document.accessPolicy ?? null) === null;
      return { failure, loaded: { document, contentRevision: known.contentRevision, isWithheld, isUnread: true } };
    }
  }

  /** Without asking the provider; null when it has to be asked. */
  private async findContent(
    item: ConnectorItem,
    known: KnownItem | undefined,
    retryFailed: boolean,
  ): Promise<DocumentContent | null> {
    if (!known || known.latestState === null || item.contentRevision === null) return null;
    if (known.latestState === 'failed' && retryFailed) return null;
    if (known.contentRevision !== item.contentRevision) return null;
    if (known.title === titleOf(item)) return { kind: 'unchanged' };
    const stored = await this.database.read((manager) => readStoredContent(manager, known));
    if (stored === null) return null;
    return 'file' in stored ? { kind: 'file', file: stored.file } : { kind: 'text', ...stored };
  }
}

/** A rate limit never is, an outage only while it may be the item's alone. */
function isOfItem(error: AppError, guard: OutageGuard): boolean {
  if (error.code === 'CONNECTOR.RATE_LIMITED') return false;
  return isOutage(error) ? guard.isGivenUp(error) : guard.giveUp;
}

function toContent(content: Awaited<ReturnType<ConnectorItem['load']>>): DocumentContent {
  if (content.kind === 'text') return content;
  const { name, mediaType, bytes } = content;
  return { kind: 'file', file: { name, mediaType, bytes: Buffer.from(bytes) } };
}

function sizeOf(document: LoadedItem['document']): number {
  if ('file' in document) return 'bytes' in document.file ? document.file.bytes.length : 0;
  return 'body' in document ? document.body.length : 0;
}

function isUnstorable({ externalId }: ConnectorItem): boolean {
  return !isStorableId(externalId);
}

function refuse({ externalId, title }: ConnectorItem): ItemFailure {
  const error = new AppError('CONNECTOR.ITEM_UNREADABLE', { message: 'The provider gave an id that cannot be kept.' });
  return { externalId, title, error };
}
