import type { ItemFailure } from '../source-connector.port.js';
import { unreadable } from '../item-errors.js';
import { UNNAMED, type ChannelList, type SlackChannel } from './slack-client.js';

export interface ChosenChannels {
  /** By id, so that an interrupted walk knows what it has behind it. */
  channels: SlackChannel[];
  /** Entries of the allowlist that name no channel the token sees. */
  unknown: string[];
  /** Ids, or '?', of channels that may be among the chosen and whose entries can't be read. */
  malformed: string[];
  /** Private channels may be among the chosen, and the token doesn't see any. */
  lacksPrivate: boolean;
}

/** The allowlist takes ids and names; a renamed channel is still known by its old name, unless another has it now. */
export function chooseChannels(list: ChannelList, allowlist: readonly string[] | undefined): ChosenChannels {
  const { channels: all, malformed, lacksPrivate } = list;
  const sorted = [...new Map(all.map((channel) => [channel.id, channel])).values()].sort((left, right) =>
    left.id < right.id ? -1 : 1,
  );
  if (allowlist === undefined) return { channels: sorted, unknown: [], malformed, lacksPrivate };
  const chosen = new Set<SlackChannel>();
  const unknown: string[] = [];
  for (const entry of allowlist) {
    const name = entry.replace(/^#/, '');
    const match =
      sorted.find((channel) => channel.id === entry || channel.name === name) ??
      sorted.find(({ previous_names }) => previous_names?.includes(name));
    if (match === undefined) unknown.push(entry);
    else chosen.add(match);
  }
  // An entry that can't be read may be any that wasn't found by its name.
  const isOpen = unknown.length > 0;
  return {
    channels: sorted.filter((channel) => chosen.has(channel)),
    unknown: unknown.filter((entry) => !malformed.includes(entry)),
    malformed: isOpen ? malformed : [],
    lacksPrivate: lacksPrivate && isOpen,
  };
}

/** What a run doesn't read because of what the list of channels says, or doesn't. */
export function describeGaps({ unknown, malformed, lacksPrivate }: ChosenChannels): ItemFailure[] {
  return [
    ...(lacksPrivate ? [privateUnseen()] : []),
    ...unknown.map((entry) => ({
      externalId: entry,
      title: entry,
      error: unreadable('The token sees no channel of this id or name.', 'channel_not_found'),
    })),
    ...malformed.map(describeMalformed),
  ];
}

/**
 * True for a channel that was known and is in the list no more; false where the list leaves it open: a token that lost the
 * scope for private channels sees none of them, and they are still there.
 */
export function isGone(channelId: string, { channels, malformed, lacksPrivate }: ChosenChannels): boolean {
  if (lacksPrivate || malformed.includes(channelId) || malformed.includes(UNNAMED)) return false;
  return !channels.some(({ id }) => id === channelId);
}

export function describeMalformed(id: string): ItemFailure {
  const which = id === UNNAMED ? 'a channel without an id' : `channel ${id}`;
  const error = unreadable(`Slack lists ${which} not as documented; it is not read.`, 'malformed');
  return { externalId: id, title: null, error };
}

export function privateUnseen(): ItemFailure {
  const message =
    'The token may not list private channels: it lacks the scope groups:read, so none of them is read, and what was read of them before stays as it is.';
  return { externalId: 'groups:read', title: 'Private channels', error: unreadable(message, 'missing_scope') };
}
