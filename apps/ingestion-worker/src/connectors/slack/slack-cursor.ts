import { compareSlackTs, readThreadTs, type SlackMessage } from '@candor/extraction';
import { z } from 'zod';
import type { SyncCursor } from '../source-connector.port.js';
import { WITHHELD } from './channel-policy.js';

const channelStateSchema = z.object({
  /** Timestamp of the newest message seen. */
  newest: z.string(),
  /** Digest of what every thread says of its channel: when it changes, older threads have to be given again too. */
  facts: z.string(),
  /** Threads of the window that is read again, newest first: those that are missing next time were deleted. */
  recent: z.array(z.string()),
  /** Seconds since 1970 at which the last pass over the channel began. */
  readAt: z.number(),
});
const walkSchema = z.object({
  channel: z.string(),
  oldest: z.string(),
  /** Everything from here on is done; null at the start. */
  latest: z.string().nullable(),
  newest: z.string(),
  /** What the threads given so far were given with. */
  facts: z.string(),
  startedAt: z.number(),
  /** Threads found so far, newest first. */
  seen: z.array(z.string()),
});
const cursorSchema = z.object({
  channels: z.record(z.string(), channelStateSchema),
  /** Digests of the policies that the stored threads of each channel have. */
  policies: z.record(z.string(), z.string()).default({}),
  /** The last channel that this pass finished. */
  after: z.string().nullable(),
  walk: walkSchema.nullable(),
  /** The last channel of this pass that was stepped over, as its history kept failing; null once another was read. */
  skipped: z.string().nullable().default(null),
  /** The last private channel of this pass whose members kept failing; null once another's were read. */
  unlisted: z.string().nullable().default(null),
});
export type ChannelState = z.infer<typeof channelStateSchema>;
export type ChannelWalk = z.infer<typeof walkSchema>;
export type SlackCursor = z.infer<typeof cursorSchema>;

/** A cursor of another make starts from the beginning: slower, never wrong. */
export function parseSlackCursor(cursor: SyncCursor | null): SlackCursor {
  const empty = { channels: {}, policies: {}, after: null, walk: null, skipped: null, unlisted: null };
  return cursorSchema.safeParse(cursor).data ?? empty;
}

/** All channels are behind: the next run begins with the first. */
export function restart(state: SlackCursor): SlackCursor {
  return { ...state, after: null, walk: null, skipped: null, unlisted: null };
}

/** Channels of which something may be stored that may still be read. */
export function listKnown({ channels, policies }: SlackCursor): string[] {
  const open = Object.keys(policies).filter((id) => policies[id] !== WITHHELD);
  return [...new Set([...Object.keys(channels), ...open])];
}

/** What it holds is withheld. Met again, it is read as one that was never seen. */
export function closeChannel(state: SlackCursor, id: string): SlackCursor {
  return {
    ...state,
    channels: omit(state.channels, id),
    policies: { ...state.policies, [id]: WITHHELD },
    walk: state.walk?.channel === id ? null : state.walk,
  };
}

/** Nothing of it was ever read. */
export function forgetChannel(state: SlackCursor, id: string): SlackCursor {
  return { ...state, channels: omit(state.channels, id), policies: omit(state.policies, id) };
}

function omit<Value>(values: Record<string, Value>, id: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== id));
}

const WINDOW_SECONDS = 7 * 24 * 60 * 60;
const MAX_RECENT = 200;

/** From where a channel is read again: a week before its newest message, or everything. */
export function startOfWindow(state: ChannelState | undefined, facts: string): string {
  if (state?.facts !== facts) return '0';
  return Math.max(0, Number(state.newest) - WINDOW_SECONDS).toFixed(6);
}

/** Replies are rarely edited later than that. */
const SETTLED_SECONDS = 2 * 24 * 60 * 60;

/**
 * True for threads that were given before and in which nothing has happened since, as far as the root tells: two days
 * after the last reply, reading all replies again is a request that finds nothing.
 */
export function isSettled(root: SlackMessage, walk: ChannelWalk, known: ChannelState | undefined): boolean {
  if (known?.facts !== walk.facts || !known.recent.includes(root.ts) || readThreadTs(root) !== root.ts) return false;
  const happened = [root.ts, root.edited?.ts, root.latest_reply].map((ts) => Number(ts ?? 0));
  return Math.max(...happened) < Math.min(known.readAt, walk.startedAt - SETTLED_SECONDS);
}

const MAX_SEEN = 1_000;

export function noteSeen(seen: readonly string[], found: readonly string[]): string[] {
  return [...seen, ...found].slice(0, MAX_SEEN);
}

/** The walk is at its end: what to remember, and which threads of the last pass it should have met and didn't. */
export function finishWalk(
  walk: ChannelWalk,
  known: ChannelState | undefined,
): { next: ChannelState; missing: string[] } {
  const floor = walk.seen.length < MAX_SEEN ? walk.oldest : (walk.seen.at(-1) ?? walk.oldest);
  const seen = new Set(walk.seen);
  return {
    next: {
      newest: walk.newest,
      facts: walk.facts,
      recent: walk.seen.slice(0, MAX_RECENT),
      readAt: walk.startedAt,
    },
    missing: (known?.recent ?? []).filter((ts) => compareSlackTs(ts, floor) > 0 && !seen.has(ts)),
  };
}
