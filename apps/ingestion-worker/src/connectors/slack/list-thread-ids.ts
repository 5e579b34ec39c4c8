import type { AppError } from '@candor/contracts';
import { isSlackContent, parseSlackTs, readThreadTs } from '@candor/extraction';
import { isUnreadable } from '../item-errors.js';
import { isOutage } from '../outage-guard.js';
import type { ListedPage } from '../source-connector.port.js';
import { CLOSED } from './channel-policy.js';
import { findOlder } from './page-history.js';
import { findThreads, toExternalId } from './read-slack-thread.js';
import type { MessagePage, SlackClient } from './slack-client.js';

/** Ids alone are cheap, and requests are few: as many as Slack gives at once. */
const LISTING_PAGE = 999;

/**
 * Nothing of a channel that is closed to the token. Ends with the error, if it has one, that keeps it from the channel's
 * start: then what wasn't named may exist.
 */
export async function* listThreadIds(
  client: SlackClient,
  channelId: string,
): AsyncGenerator<ListedPage, AppError | null> {
  let latest: string | null = null;
  do {
    let page: MessagePage;
    try {
      page = await client.readHistory(channelId, { oldest: '0', latest, limit: LISTING_PAGE });
    } catch (error) {
      if (isUnreadable(error, CLOSED)) return null;
      if (isOutage(error)) return error;
      throw error;
    }
    const found = findThreads(page.messages.filter(isSlackContent));
    // What can't be read now still exists.
    const ids = [...found.map(readThreadTs), ...page.malformed].map((ts) => toExternalId(channelId, ts));
    const activeAt = found.flatMap((root): [string, string][] => {
      const at = parseSlackTs(root.latest_reply);
      return at === null ? [] : [[toExternalId(channelId, readThreadTs(root)), at.toISOString()]];
    });
    yield { ids, activeAt: Object.fromEntries(activeAt) };
    latest = findOlder(page, latest);
  } while (latest !== null);
  return null;
}
