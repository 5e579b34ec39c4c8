import { compareSlackTs, isSlackContent, parseSlackTs, readThreadTs } from '@candor/extraction';
import { toItemFailure, unreadable } from '../item-errors.js';
import type { ConnectorItem, ItemFailure } from '../source-connector.port.js';
import { findThreads, isAlone, readSlackThread, toExternalId, type ChannelContext } from './read-slack-thread.js';
import { isSettled, noteSeen, type ChannelState, type ChannelWalk } from './slack-cursor.js';

export interface WalkedPage {
  items: ConnectorItem[];
  deletedIds: string[];
  failures: ItemFailure[];
  /** Where to go on; `isDone` at the start of the channel or window. */
  walk: ChannelWalk;
  isDone: boolean;
}

/** One page back in a channel's history, from `walk.latest` on. Pages go by time, so one that shifts loses nothing. */
export async function walkPage(
  walk: ChannelWalk,
  known: ChannelState | undefined,
  { limit, giveUp }: { limit: number; giveUp: boolean },
  context: ChannelContext,
): Promise<WalkedPage> {
  const { client, channel } = context;
  const page = await client.readHistory(channel.id, { oldest: walk.oldest, latest: walk.latest, limit });
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
      failures.push(toItemFailure(toExternalId(channel.id, ts), `#${channel.name}`, error, giveUp));
    }
  }
  const malformed = page.malformed.filter((ts) => parseSlackTs(ts) !== null);
  const timestamps = [...page.messages.map(({ ts }) => ts), ...malformed].sort(compareSlackTs);
  const earliest = timestamps[0];
  const newest = timestamps.at(-1);
  return {
    items,
    deletedIds: [...gone].map((ts) => toExternalId(channel.id, ts)),
    failures,
    // Without a message that could be read there is nothing to go back from.
    isDone: !page.hasMore || earliest === undefined || earliest === walk.latest,
    walk: {
      ...walk,
      latest: earliest ?? walk.latest,
      newest: newest !== undefined && compareSlackTs(newest, walk.newest) > 0 ? newest : walk.newest,
      // What couldn't be read is there all the same.
      seen: noteSeen(walk.seen, [...threads.map(readThreadTs).filter((ts) => !gone.has(ts)), ...malformed]),
    },
  };
}
