import { isUnreadable } from '../item-errors.js';
import { isOutage } from '../outage-guard.js';
import type { ItemFailure } from '../source-connector.port.js';
import { describeFailing } from './describe-channel-failure.js';
import type { SlackSession } from './read-slack-thread.js';
import type { SlackChannel } from './slack-client.js';
import type { SlackCursor } from './slack-cursor.js';

/** Null = unreadable: what the channel holds is withheld. Of a public channel nobody needs to know them. */
export async function readMembers(
  channel: SlackChannel,
  { client, directory }: SlackSession,
): Promise<string[] | null> {
  if (!channel.is_private) return null;
  let memberIds: string[];
  try {
    memberIds = await client.listMembers(channel.id);
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
  await directory.learnUsers(memberIds);
  return memberIds;
}

/** What is known of a channel's members as its walk begins. */
export interface FoundMembers {
  /** Null = unknown. */
  memberIds: string[] | null;
  state: SlackCursor;
  failures: ItemFailure[];
}

/**
 * Where the caller gives up, members that keep failing count as unknown for the rest of the pass: the channel is withheld,
 * and the run goes on. Of two channels in a row it is an outage, which is thrown: not the rule of
 * `OutageGuard`, but the one by which channels are stepped over (see `leaveChannel`); `unlisted` of the cursor keeps count.
 */
export async function findMembers(
  channel: SlackChannel,
  state: SlackCursor,
  session: SlackSession,
): Promise<FoundMembers> {
  if (!channel.is_private || state.unlisted === channel.id) return { memberIds: null, state, failures: [] };
  try {
    const memberIds = await readMembers(channel, session);
    return { memberIds, state: { ...state, unlisted: null }, failures: [] };
  } catch (error) {
    if (!session.guard.giveUp || !isOutage(error) || state.unlisted !== null) throw error;
    const message = 'Slack keeps failing to give the members of this channel; it is withheld until it gives them.';
    const failures = [describeFailing(channel, message, error)];
    return { memberIds: null, state: { ...state, unlisted: channel.id }, failures };
  }
}
