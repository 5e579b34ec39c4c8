import type { ListedPage } from '../source-connector.port.js';
import type { GmailClient, GmailMessageEntry, GmailThreadEntry } from './gmail-client.js';
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
  // A query is about threads; the messages of those need not match it.
  const chosen = scope.query === undefined ? null : new Set<string>();
  for await (const threads of listThreads(client, scope.query)) {
    const ids = threads.map(({ id }) => id);
    ids.forEach((id) => chosen?.add(id));
    yield ids;
  }
  if (!scope.includeAttachments) return;
  for await (const messages of listMessages(client)) {
    const own = messages.filter(({ threadId }) => chosen?.has(threadId) ?? true);
    yield { ids: own.flatMap(({ id, threadId }) => listAttachmentIds(threadId, id)), areGuesses: true };
  }
}

async function* listThreads(client: GmailClient, query: string | undefined): AsyncIterable<GmailThreadEntry[]> {
  let pageToken: string | null = null;
  do {
    const page: Awaited<ReturnType<GmailClient['listThreads']>> = await client.listThreads(
      query,
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
