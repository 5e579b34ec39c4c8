import { AppError } from '@candor/contracts';
import { compareSlackTs, parseSlackTs } from '@candor/extraction';
import type { MessagePage } from './slack-client.js';

/** Oldest first; of what can't be read too, as far as it says when it was sent. */
export function sortTimestamps({ messages, malformed }: MessagePage): string[] {
  return [...messages.map(({ ts }) => ts), ...malformed.filter((ts) => parseSlackTs(ts) !== null)].sort(compareSlackTs);
}

/**
 * The timestamp before which a channel's history goes on after this page, which was asked for before `latest`; null = there
 * is nothing older. Throws CONNECTOR.UNAVAILABLE for a page that says there is more and not where: what lies behind it would
 * be taken for deleted.
 */
export function findOlder(page: MessagePage, latest: string | null): string | null {
  if (!page.hasMore) return null;
  const earliest = sortTimestamps(page)[0];
  if (earliest === undefined || (latest !== null && compareSlackTs(earliest, latest) >= 0)) {
    throw new AppError('CONNECTOR.UNAVAILABLE', { message: 'Slack gave a page of history that leads no further.' });
  }
  return earliest;
}
