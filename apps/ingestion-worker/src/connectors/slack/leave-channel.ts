import { isUnreadable } from '../item-errors.js';
import { isOutage } from '../outage-guard.js';
import type { ItemFailure, PolicyChange } from '../source-connector.port.js';
import { CLOSED, shareOf, WITHHELD } from './channel-policy.js';
import { describeClosed, describeFailing } from './describe-channel-failure.js';
import { toExternalId } from './read-slack-thread.js';
import type { SlackChannel } from './slack-client.js';
import { closeChannel, forgetChannel, type SlackCursor } from './slack-cursor.js';

/** The batch with which a channel is left before its end. */
export interface LeftChannel {
  state: SlackCursor;
  deletedIds: string[];
  policyOf?: PolicyChange;
  failures: ItemFailure[];
}

/** A channel of which nobody may see anything any more. All that lies further back is hidden until a comparison finds it gone. */
export function withholdChannel(
  channel: Pick<SlackChannel, 'id'>,
  state: SlackCursor,
): { state: SlackCursor; deletedIds: string[]; policyOf: PolicyChange } {
  const recent = state.channels[channel.id]?.recent ?? [];
  return {
    state: closeChannel(state, channel.id),
    deletedIds: recent.map((ts) => toExternalId(channel.id, ts)),
    policyOf: shareOf(channel, null),
  };
}

/**
 * What becomes of a channel that can't be read on: one that is closed is withheld at once; one that keeps failing is stepped
 * over where the caller gives up, and begins where it began the next time. Null = it isn't about the channel: of two in a row
 * it is an outage, a rule of its own beside that of `OutageGuard`, which counts requests: a channel is many, and slices may end
 * between two (see `skipped` of the cursor). `given`: the digest of the policy that its stored threads have; undefined = none is stored.
 */
export function leaveChannel(
  channel: SlackChannel,
  error: unknown,
  { state, given, giveUp }: { state: SlackCursor; given: string | undefined; giveUp: boolean },
): LeftChannel | null {
  const { id } = channel;
  const behind = { ...state, walk: null, after: id };
  if (isUnreadable(error, CLOSED)) {
    const failures = [describeClosed(channel)];
    if (given === undefined && state.channels[id] === undefined)
      return { state: forgetChannel(behind, id), deletedIds: [], failures };
    const { policyOf, ...left } = withholdChannel(channel, behind);
    return { ...left, failures, ...(given === WITHHELD ? {} : { policyOf }) };
  }
  if (!giveUp || !isOutage(error) || state.skipped !== null) return null;
  const message = 'Slack keeps failing to give this channel; the next sync begins with it where this one did.';
  return { state: { ...behind, skipped: id }, deletedIds: [], failures: [describeFailing(channel, message, error)] };
}
