import { AppError, ingestDocumentSchema, type IngestDocument } from '@candor/contracts';
import type { FileDocument, KnownItem, NewDocument, UnchangedDocument } from '@candor/persistence';
import type { ConnectorItem } from '../../connectors/source-connector.port.js';
import { cleanJson, cleanText } from './clean-text.js';

const LONGEST_TITLE = 1_000;

/** What an item says, in the form that ingestion takes. */
export type DocumentContent =
  | { kind: 'text'; body: string; mimeType: IngestDocument['mimeType'] }
  | { kind: 'file'; file: FileDocument['file'] }
  | { kind: 'unchanged' };

/** As it is stored: what a title must be, whatever the provider says. */
export function titleOf(item: Pick<ConnectorItem, 'title'>): string {
  const title = cleanText(cleanText(item.title).trim().slice(0, LONGEST_TITLE));
  return title === '' ? 'Untitled' : title;
}

/** Errors: CONNECTOR.ITEM_UNREADABLE (permanent) where the provider's facts break the contract of documents. */
export function toNewDocument(
  item: Omit<ConnectorItem, 'contentRevision' | 'load'>,
  content: DocumentContent,
  source: { id: string; provider: IngestDocument['provider'] },
  syncedAt: Date | null,
): NewDocument | UnchangedDocument {
  const title = titleOf(item);
  // A page of nothing but its title says just that.
  const text = content.kind === 'text' ? cleanText(content.body) : '';
  const parsed = ingestDocumentSchema.safeParse({
    provider: source.provider,
    connectorId: source.id,
    sourceKind: item.sourceKind,
    externalId: item.externalId,
    title,
    url: item.url,
    authorName: item.authorName && cleanText(item.authorName),
    sourceCreatedAt: item.sourceCreatedAt,
    sourceUpdatedAt: item.sourceUpdatedAt,
    metadata: item.metadata && cleanJson(item.metadata),
    accessPolicy: item.accessPolicy && cleanJson(item.accessPolicy),
    syncedAt: syncedAt && syncedAt.toISOString(),
    body: text.trim() === '' ? title : text,
    mimeType: content.kind === 'text' ? content.mimeType : 'text/plain',
  });
  if (!parsed.success) {
    const fields = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new AppError('CONNECTOR.ITEM_UNREADABLE', {
      message: `What the provider says of the item can't be kept: ${fields.join('; ')}`.slice(0, 500),
    });
  }
  if (content.kind === 'text') return parsed.data;
  const { body: _body, mimeType: _mimeType, ...facts } = parsed.data;
  return content.kind === 'file' ? { ...facts, file: content.file } : { ...facts, unchanged: true };
}

/**
 * What is known of a stored item whose content could not be read. Who may see it must not wait for that: what was taken
 * from everybody else would go on being served to them. Text, title and age stay those that were read. Facts that can't
 * be kept are left out, and without a readable policy the item is withheld. Null when none of it was read yet.
 */
export function toUnreadDocument(
  item: ConnectorItem,
  known: KnownItem,
  source: { id: string; provider: IngestDocument['provider'] },
): UnchangedDocument | null {
  if (known.latestState === null) return null;
  const { sourceKind, externalId, accessPolicy } = item;
  const bare = { sourceKind, externalId, accessPolicy, title: known.title };
  for (const facts of [{ ...item, title: known.title }, bare, { ...bare, accessPolicy: null }]) {
    try {
      const document = toNewDocument(facts, { kind: 'unchanged' }, source, known.syncedAt);
      if ('unchanged' in document) return document;
    } catch (error) {
      // The item's failure is on record already.
      if (!(error instanceof AppError)) throw error;
    }
  }
  return null;
}
