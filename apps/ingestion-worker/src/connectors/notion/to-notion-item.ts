import type { AccessPolicy } from '@candor/contracts';
import type { ConnectorItem } from '../source-connector.port.js';
import type { NotionClient } from './notion-client.js';
import { isObject, type NotionEntry } from './notion-object.js';
import { readBlockTree } from './read-block-tree.js';
import { renderBlocks } from './render-blocks.js';
import { readStatus, readTitle, renderProperties, renderSchema, type NotionNames } from './render-properties.js';
import { renderRichText } from './render-rich-text.js';

/** Notion cuts edit times to the minute: within it, and a little for clocks that differ, the time marks no content. */
const UNSETTLED_MS = 2 * 60_000;

export interface NotionContext {
  client: NotionClient;
  names: NotionNames;
  policy: AccessPolicy;
  now: () => number;
}

export function toNotionItem(entry: NotionEntry, context: NotionContext): ConnectorItem {
  const { client, names, policy } = context;
  const title = readTitle(entry);
  const status = entry.object === 'page' ? readStatus(entry.properties) : null;
  return {
    sourceKind: 'document',
    externalId: entry.id,
    title,
    url: entry.url && /^https?:/.test(entry.url) ? entry.url : null,
    authorName: entry.created_by ? names.user(entry.created_by.id) : null,
    sourceCreatedAt: entry.created_time,
    sourceUpdatedAt: entry.last_edited_time,
    accessPolicy: policy,
    contentRevision: markRevision(entry.last_edited_time, context.now()),
    metadata: {
      object: entry.object,
      parent: readParent(entry),
      lastEditedBy: entry.last_edited_by ? names.user(entry.last_edited_by.id) : null,
      ...(status === null ? {} : { status }),
    },
    load: async () => {
      const body = entry.object === 'page' ? await renderPage(entry, client, names) : renderDatabase(entry);
      // A page that is all title is still a page.
      return { kind: 'text', body: body === '' ? title : body, mimeType: 'text/markdown' };
    },
  };
}

async function renderPage(entry: NotionEntry, client: NotionClient, names: NotionNames): Promise<string> {
  const tree = await readBlockTree(client, entry.id);
  const note = tree.left === 0 ? '' : `(${String(tree.left)} nested parts of this page could not be read.)`;
  return [renderProperties(entry.properties, names), renderBlocks(tree.nodes), note]
    .filter((part) => part !== '')
    .join('\n\n');
}

function renderDatabase(entry: NotionEntry): string {
  const columns = renderSchema(entry.properties);
  return [renderRichText(entry['description']), columns === '' ? '' : `Columns:\n\n${columns}`]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function markRevision(lastEdited: string, now: number): string {
  return now - Date.parse(lastEdited) < UNSETTLED_MS ? `${lastEdited}~${String(now)}` : lastEdited;
}

function readParent(entry: NotionEntry): Record<string, string> {
  if (!isObject(entry.parent)) return {};
  return Object.fromEntries(
    Object.entries(entry.parent).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}
