import type { AccessPolicy } from '@candor/contracts';
import { createHash } from 'node:crypto';
import type { PolicyChange } from '../source-connector.port.js';

/** What Slack answers of a channel that the token may not read. */
export const CLOSED = ['not_in_channel', 'channel_not_found', 'access_denied', 'restricted_action'];

export function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

/** In the place of a policy's digest: the channel's threads are withheld. */
export const WITHHELD = digest(null);

/** For all threads of a channel, however old. */
export function shareOf(
  { id, is_private: isPrivate }: { id: string; is_private?: boolean },
  accessPolicy: AccessPolicy | null,
): PolicyChange {
  return { matching: { channelId: id }, metadata: isPrivate === undefined ? {} : { isPrivate }, accessPolicy };
}
