import type { ListedPage } from '../source-connector.port.js';
import type { GmailClient, GmailMessageEntry, GmailThreadEntry, ThreadFilter } from './gmail-client.js';
import { listAttachmentIds } from './to-gmail-items.js';

/** As many as Gmail gives. */
const LISTING_PAGE = 500;

export interface MailboxScope {
  query: string | undefined;
  includeAttachments: boolean;
}

/**
 * Threads, and every id that attachments of their messages may have. Which of those exist, only the threads themselves
 * tell, and a large mailbox takes hours to be read that way; what was attached to a message that is gone isn't named.
 */
export async function* listMailboxIds(client: GmailClient, scope: MailboxScope): AsyncIterable<string[] | ListedPage> {
  const drafted = await listDrafted(client);
  // A query is about threads; the messages of those need not match it.
  const chosen = scope.query === undefined ? null : new Set<string>();
  for await (const threads of listThreads(client, { query: scope.query })) {
    const ids = threads.map(({ id }) => id);
    ids.forEach((id) => chosen?.add(id));
    yield ids.filter((id) => !drafted.has(id));
    // Whether there is more to it than a draft, the thread itself tells.
    yield { ids: ids.filter((id) => drafted.has(id)), areGuesses: true };
  }
  if (!scope.includeAttachments) return;
  for await (const messages of listMessages(client)) {
    const own = messages.filter(({ threadId }) => chosen?.has(threadId) ?? true);
    yield { ids: own.flatMap(({ id, threadId }) => listAttachmentIds(threadId, id)), areGuesses: true };
  }
}

/** Threads with drafts, and maybe nothing else. */
async function listDrafted(client: GmailClient): Promise<Set<string>> {
  const drafted = new Set<string>();
  for await (const threads of listThreads(client, { label: 'DRAFT' })) threads.forEach(({ id }) => drafted.add(id));
  return drafted;
}

async function* listThreads(client: GmailClient, filter: ThreadFilter): AsyncIterable<GmailThreadEntry[]> {
  let pageToken: string | null = null;
  do {
    const page: Awaited<ReturnType<GmailClient['listThreads']>> = await client.listThreads(
      filter,
      pageToken,
      LISTING_PAGE,
    );
    yield page.threads;
    pageToken = page.nextPageToken;
  } while (pageToken !== null);
}

async function* listMessages(client: GmailClient): AsyncIterable<GmailMessageEntry[]> {
  let pageToken: string | null = null;
  do {
    const page: Awaited<ReturnType<GmailClient['listMessages']>> = await client.listMessages(pageToken, LISTING_PAGE);
    yield page.messages;
    pageToken = page.nextPageToken;
  } while (pageToken !== null);
}
