import type { SlackChannel } from './slack-client.js';

export interface ChosenChannels {
  /** By id, so that an interrupted walk knows what it has behind it. */
  channels: SlackChannel[];
  /** Entries of the allowlist that name no channel the token sees. */
  unknown: string[];
}

/** The allowlist takes ids and names; a renamed channel is still known by its old name, unless another has it now. */
export function chooseChannels(all: readonly SlackChannel[], allowlist: readonly string[] | undefined): ChosenChannels {
  const sorted = [...new Map(all.map((channel) => [channel.id, channel])).values()].sort((left, right) =>
    left.id < right.id ? -1 : 1,
  );
  if (allowlist === undefined) return { channels: sorted, unknown: [] };
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
  return { channels: sorted.filter((channel) => chosen.has(channel)), unknown };
}
