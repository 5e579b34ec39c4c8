import { AppError, type AccessPolicy } from '@candor/contracts';
import type {
  ConnectorItem,
  FileContent,
  ItemChanges,
  SourceConnector,
  SyncBatch,
  SyncCursor,
  TextContent,
} from '../../../connectors/source-connector.port.js';

export interface ScriptedItem {
  title: string;
  body: string;
  revision: string | null;
  accessPolicy: AccessPolicy | null;
  url: string | null;
  authorName: string | null;
}

const PUBLIC: AccessPolicy = { provider: 'notion', mode: 'provider_scope' };

/** A provider in memory: a journal of changes that is told in batches, and failures when a test wants them. */
export class ScriptedConnector implements SourceConnector {
  readonly provider = 'notion';
  readonly items = new Map<string, ScriptedItem>();
  /** External ids whose content was read. */
  readonly loads: string[] = [];
  readonly refreshes: string[][] = [];
  batchSize = 2;
  /** A connector need not say which batch is the last. */
  marksLast = true;
  /** Thrown by the next calls of `changes`, one a call. */
  readonly refusals: AppError[] = [];
  /** By external id: what reading it fails with. */
  readonly loadErrors = new Map<string, Error>();
  /** What `listIds` does; null = it lists what there is. */
  listing: (() => ReturnType<SourceConnector['listIds']>) | null = null;
  /** Absent unless a test sets it: the listing is to be believed. */
  confirmGone?: NonNullable<SourceConnector['confirmGone']>;
  /** Called before each batch is told. */
  beforeBatch: () => Promise<void> | void = () => undefined;
  /** How items that are read again come: a part each. */
  splitRefresh: (externalIds: readonly string[]) => string[][] = (externalIds) => [[...externalIds]];
  /** Called before each of these parts is told. */
  beforeRefresh: (externalIds: readonly string[]) => Promise<void> | void = () => undefined;
  file: FileContent | null = null;
  private readonly journal: string[] = [];

  put(externalId: string, fields: Partial<ScriptedItem> = {}): void {
    const before = this.items.get(externalId);
    this.items.set(externalId, {
      title: `Title of ${externalId}`,
      body: `Text of ${externalId}.`,
      revision: '1',
      accessPolicy: PUBLIC,
      url: `https://notes.example.org/${externalId}`,
      authorName: 'Ada',
      ...before,
      ...fields,
    });
    this.journal.push(externalId);
  }

  delete(externalId: string): void {
    this.vanish(externalId);
    this.journal.push(externalId);
  }

  /** Changed, and no change tells of it. */
  alter(externalId: string, fields: Partial<ScriptedItem>): void {
    this.put(externalId, fields);
    this.journal.pop();
  }

  /** Gone, and no change tells of it. */
  vanish(externalId: string): void {
    this.items.delete(externalId);
  }

  async check(): Promise<{ account: string }> {
    this.refuse();
    return { account: 'Ada at Example' };
  }

  async *changes(cursor: SyncCursor | null, signal: AbortSignal): AsyncIterable<SyncBatch> {
    this.refuse();
    const from = typeof cursor?.['position'] === 'number' ? cursor['position'] : 0;
    const end = this.journal.length;
    for (let position = from; position < end; position += this.batchSize) {
      await this.beforeBatch();
      signal.throwIfAborted();
      const until = Math.min(position + this.batchSize, end);
      const ids = [...new Set(this.journal.slice(position, until))];
      yield {
        items: ids.flatMap((id) => this.describe(id)),
        deletedIds: ids.filter((id) => !this.items.has(id)),
        failures: [],
        cursor: { position: until },
        ...(this.marksLast ? { isLast: until === end } : {}),
      };
    }
  }

  async *listIds(): ReturnType<SourceConnector['listIds']> {
    if (this.listing) {
      yield* this.listing();
      return;
    }
    const ids = [...this.items.keys()];
    for (let from = 0; from < ids.length; from += this.batchSize) yield ids.slice(from, from + this.batchSize);
  }

  async *refresh(externalIds: readonly string[]): AsyncIterable<ItemChanges> {
    this.refreshes.push([...externalIds]);
    await this.beforeBatch();
    for (const part of this.splitRefresh(externalIds)) {
      await this.beforeRefresh(part);
      yield {
        items: part.flatMap((id) => this.describe(id)),
        deletedIds: part.filter((id) => !this.items.has(id)),
        failures: [],
      };
    }
  }

  private describe(externalId: string): ConnectorItem[] {
    const item = this.items.get(externalId);
    if (!item) return [];
    const { title, url, authorName, accessPolicy, revision } = item;
    return [
      {
        sourceKind: 'document',
        externalId,
        title,
        url,
        authorName,
        sourceCreatedAt: '2026-01-02T03:04:05.000Z',
        sourceUpdatedAt: null,
        metadata: {},
        accessPolicy,
        contentRevision: revision,
        load: () => this.load(externalId),
      },
    ];
  }

  async load(externalId: string): Promise<TextContent | FileContent> {
    this.loads.push(externalId);
    const error = this.loadErrors.get(externalId);
    if (error) throw error;
    const item = this.items.get(externalId);
    if (!item) throw new AppError('CONNECTOR.ITEM_UNREADABLE');
    return this.file ?? { kind: 'text', body: item.body, mimeType: 'text/plain' };
  }

  private refuse(): void {
    const refusal = this.refusals.shift();
    if (refusal) throw refusal;
  }
}
