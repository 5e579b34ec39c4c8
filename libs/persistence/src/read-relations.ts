import type { IngestDocument } from '@candor/contracts';

/** What an item says of itself and of others. */
export type RelationKind = 'supersedes' | 'references' | 'reply_of' | 'same_thread' | 'status' | 'message_id';

export interface DeclaredRelation {
  kind: RelationKind;
  /** An external id, an address, a thread or a status. */
  target: string;
}

/** Longer ones fit no index; nothing that names an item is. */
const LONGEST_TARGET = 512;
const LONGEST_STATUS = 100;
/** Of one text. */
const MOST_LINKS = 200;
/** Of one thread of mails. */
const MOST_MESSAGES = 200;

/**
 * From the fields of a document. Threads and replies have no field of their own: `metadata.threadId` (or Slack's
 * `threadTs` within a channel) names a thread, `metadata.replyTo` or `inReplyTo` what is answered, by its external id or its
 * Message-ID, `metadata.internetMessageIds` the Message-IDs of an item's own mails, `metadata.status` a standing.
 */
export function readRelations(document: Pick<IngestDocument, 'supersedes' | 'metadata'>): DeclaredRelation[] {
  const { metadata = {} } = document;
  const text = (name: string): string => {
    const value = metadata[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const messageIds: unknown = metadata['internetMessageIds'];
  const inChannel = text('threadTs') && `${text('channelId') || text('channelName')}:${text('threadTs')}`;
  const found: [RelationKind, string][] = [
    ...(document.supersedes ?? []).map((target): [RelationKind, string] => ['supersedes', target]),
    ['reply_of', text('replyTo') || text('inReplyTo')],
    ['same_thread', text('threadId') || inChannel],
    ['status', text('status').toLowerCase().slice(0, LONGEST_STATUS)],
    ...(Array.isArray(messageIds) ? messageIds.slice(0, MOST_MESSAGES) : []).flatMap((id): [RelationKind, string][] =>
      typeof id === 'string' ? [['message_id', id.trim()]] : [],
    ),
  ];
  return found.flatMap(([kind, target]) =>
    target !== '' && target.length <= LONGEST_TARGET && !target.includes('\0') ? [{ kind, target }] : [],
  );
}

const ADDRESS = /https?:\/\/[^\s<>"'`\\|]+/gi;

/** Addresses in a text as items are found by them: without fragment and closing slash, each once. */
export function findLinks(text: string): string[] {
  if (!text.includes('://')) return [];
  const links = new Set<string>();
  for (const [address] of text.matchAll(ADDRESS)) {
    // No address that is kept is much longer; to trim a hostile one would take the square of its length.
    if (address.length > 2 * LONGEST_TARGET) continue;
    const link = normalizeLink(trimEnd(address));
    if (link.length <= LONGEST_TARGET) links.add(link);
    if (links.size >= MOST_LINKS) break;
  }
  return [...links];
}

/** As `source_items_by_link` reads an item's own address. */
export function normalizeLink(address: string): string {
  return (address.split('#')[0] ?? '').replace(/\/+$/, '');
}

/** Punctuation of the sentence, and brackets that the address itself doesn't open. */
function trimEnd(address: string): string {
  for (let trimmed = address; ;) {
    const last = trimmed.at(-1) ?? '';
    const opening = { ')': '(', ']': '[', '}': '{' }[last];
    const isSurplus = opening !== undefined && count(trimmed, last) > count(trimmed, opening);
    if (!isSurplus && !/[.,;:!?*_|]/.test(last)) return trimmed;
    trimmed = trimmed.slice(0, -1);
  }
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
