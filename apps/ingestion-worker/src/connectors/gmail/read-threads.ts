import type { GmailClient } from './gmail-client.js';
import { toGmailItems, type GmailContext, type GmailItems } from './to-gmail-items.js';

const PARALLEL_THREADS = 5;

/** Threads as they are now. One that holds nothing to read is gone. */
export async function readThreads(
  ids: readonly string[],
  client: GmailClient,
  context: GmailContext,
): Promise<GmailItems> {
  const all: GmailItems = { items: [], deletedIds: [], failures: [] };
  // Which requests fail in a row is known of those that are made in a row.
  const atOnce = context.guard.giveUp ? 1 : PARALLEL_THREADS;
  for (let start = 0; start < ids.length; start += atOnce) {
    const group = ids.slice(start, start + atOnce);
    const read = await Promise.all(group.map((id) => readThread(id, client, context)));
    for (const { items, deletedIds, failures } of read) {
      all.items.push(...items);
      all.deletedIds.push(...deletedIds);
      all.failures.push(...failures);
    }
  }
  return all;
}

async function readThread(id: string, client: GmailClient, context: GmailContext): Promise<GmailItems> {
  try {
    const thread = await context.guard.ask('threads.get', () => client.findThread(id));
    return thread === null ? { items: [], deletedIds: [id], failures: [] } : await toGmailItems(thread, context);
  } catch (error) {
    return { items: [], deletedIds: [], failures: [context.guard.toItemFailure(id, null, error)] };
  }
}
