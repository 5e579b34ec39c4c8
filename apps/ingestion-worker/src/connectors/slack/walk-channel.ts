import { compareSlackTs, isSlackContent, parseSlackTs, readThreadTs } from '@candor/extraction';
import { unreadable } from '../item-errors.js';
import type { ConnectorItem, ItemFailure } from '../source-connector.port.js';
import { findOlder, sortTimestamps } from './page-history.js';
import { findThreads, isAlone, readSlackThread, toExternalId, type ChannelContext } from './read-slack-thread.js';
import type { MessagePage } from './slack-client.js';
import { isSettled, noteSeen, type ChannelState, type ChannelWalk } from './slack-cursor.js';

export interface WalkedPage {
  items: ConnectorItem[];
  deletedIds: string[];
  failures: ItemFailure[];
  /** Where to go on; `isDone` at the start of the channel or window. */
  walk: ChannelWalk;
  isDone: boolean;
}

/** One page back in a channel's history, before `walk.latest`. Pages go by time, so one that shifts loses nothing. */
export async function walkPage(
  page: MessagePage,
  walk: ChannelWalk,
  known: ChannelState | undefined,
  context: ChannelContext,
): Promise<WalkedPage> {
  const { channel, guard } = context;
  const older = findOlder(page, walk.latest);
  const items: ConnectorItem[] = [];
  const gone = new Set<string>();
  const failures = page.malformed.map((ts): ItemFailure => ({
    externalId: toExternalId(channel.id, ts),
    title: `#${channel.name}`,
    error: unreadable('Slack gave a message that is not as documented.', 'malformed'),
  }));
  const threads = findThreads(page.messages.filter(isSlackContent));
  for (const found of threads) {
    const ts = readThreadTs(found);
    if (!isAlone(found) && isSettled(found, walk, known)) continue;
    try {
      const thread = await readSlackThread(found, context);
      if (thread === null) {
        gone.add(ts);
        continue;
      }
      items.push(thread.item);
      failures.push(...thread.failures);
    } catch (error) {
      failures.push(guard.toItemFailure(toExternalId(channel.id, ts), `#${channel.name}`, error));
    }
  }
  const malformed = page.malformed.filter((ts) => parseSlackTs(ts) !== null);
  const newest = sortTimestamps(page).at(-1);
  return {
    items,
    deletedIds: [...gone].map((ts) => toExternalId(channel.id, ts)),
    failures,
    isDone: older === null,
    walk: {
      ...walk,
      latest: older ?? walk.latest,
      newest: newest !== undefined && compareSlackTs(newest, walk.newest) > 0 ? newest : walk.newest,
      // What couldn't be read is there all the same.
      seen: noteSeen(walk.seen, [...threads.map(readThreadTs).filter((ts) => !gone.has(ts)), ...malformed]),
    },
  };
}
