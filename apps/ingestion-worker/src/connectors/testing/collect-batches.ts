import type {
  ConnectorItem,
  ItemChanges,
  ListingLimit,
  SourceConnector,
  SyncBatch,
  SyncCursor,
} from '../source-connector.port.js';

export interface Collected {
  batches: SyncBatch[];
  items: ConnectorItem[];
  /** By external id; the last one where an item came twice. */
  byId: Map<string, ConnectorItem>;
  deletedIds: string[];
  failures: SyncBatch['failures'];
  /** As a database gives it back. */
  cursor: SyncCursor;
}

/** A whole run, or its first batches. */
export async function collect(
  connector: SourceConnector,
  cursor: SyncCursor | null = null,
  options: { batches?: number; signal?: AbortSignal; giveUp?: boolean } = {},
): Promise<Collected> {
  const batches: SyncBatch[] = [];
  const { signal = new AbortController().signal, giveUp = false } = options;
  for await (const batch of connector.changes(cursor, signal, { giveUp })) {
    batches.push(batch);
    if (batches.length === options.batches) break;
  }
  // A caller that stops at the mark must have seen all, and only then.
  const marked = batches.findIndex(({ isLast }) => isLast === true);
  if (options.batches === undefined && marked !== batches.length - 1) throw new Error('the last batch is not marked');
  const items = batches.flatMap((batch) => batch.items);
  return {
    batches,
    items,
    byId: new Map(items.map((item) => [item.externalId, item])),
    deletedIds: batches.flatMap((batch) => batch.deletedIds),
    failures: batches.flatMap((batch) => batch.failures),
    cursor: JSON.parse(JSON.stringify(batches.at(-1)?.cursor ?? {})) as SyncCursor,
  };
}

/** What `refresh` tells, all of it. */
export async function collectChanges(
  changes: AsyncIterable<ItemChanges>,
): Promise<Pick<Collected, 'byId' | 'deletedIds' | 'failures'> & { batches: number }> {
  const all: ItemChanges[] = [];
  for await (const step of changes) all.push(step);
  return {
    batches: all.length,
    byId: new Map(all.flatMap(({ items }) => items.map((item) => [item.externalId, item]))),
    deletedIds: all.flatMap(({ deletedIds }) => deletedIds),
    failures: all.flatMap(({ failures }) => failures),
  };
}

export async function collectIds(connector: SourceConnector): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of connector.listIds(new AbortController().signal)) {
    if (!('onlyUnder' in page)) ids.push(...(Array.isArray(page) ? page : page.ids));
  }
  return [...new Set(ids)].sort();
}

/** What a listing says that it doesn't see. */
export async function collectLimits(connector: SourceConnector): Promise<ListingLimit[]> {
  const limits: ListingLimit[] = [];
  for await (const page of connector.listIds(new AbortController().signal)) if ('onlyUnder' in page) limits.push(page);
  return limits;
}

/** The text of a text item; for a file, its bytes as UTF-8. */
export async function loadText(item: ConnectorItem | undefined): Promise<string> {
  const content = await item?.load(new AbortController().signal);
  if (content === undefined) throw new Error('there is no such item');
  return content.kind === 'text' ? content.body : Buffer.from(content.bytes).toString('utf8');
}
