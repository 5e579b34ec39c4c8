import type { AccessPolicy } from '@candor/contracts';
import type { SlackChannel } from './slack-client.js';

/** The contract's bound on principals. */
const MAX_PRINCIPALS = 10_000;

/**
 * A public channel: everyone who may read the source. A private one: its members, by address or id. Null when the member
 * list is unreadable. Members beyond the bound are left out of the list and counted: they see less, never more.
 */
export function mapSlackPolicy(
  channel: SlackChannel,
  memberIds: readonly string[] | null,
  principalOf: (userId: string) => string,
): AccessPolicy | null {
  const facts = { provider: 'slack' as const, channelId: channel.id, isPrivate: channel.is_private };
  if (!channel.is_private) return { ...facts, mode: 'provider_scope' };
  if (memberIds === null) return null;
  const listed = [...new Set(memberIds)].sort().slice(0, MAX_PRINCIPALS - 1);
  return {
    ...facts,
    mode: 'acl',
    principals: [`channel:${channel.id}`, ...new Set(listed.map(principalOf))],
    memberIds: listed,
    ...(listed.length < memberIds.length ? { membersLeftOut: memberIds.length - listed.length } : {}),
  };
}
