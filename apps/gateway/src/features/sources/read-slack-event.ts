import { z } from 'zod';

const verificationSchema = z.looseObject({ type: z.literal('url_verification'), challenge: z.string().max(1_000) });
const callbackSchema = z.looseObject({
  type: z.literal('event_callback'),
  event: z.looseObject({ type: z.string().max(100), subtype: z.string().max(100).optional() }),
});
const partSchema = z.looseObject({
  ts: z.string().optional(),
  thread_ts: z.string().optional(),
  reply_count: z.number().optional(),
});
const messageSchema = z.looseObject({
  channel: z.string(),
  subtype: z.string().optional(),
  ts: z.string().optional(),
  thread_ts: z.string().optional(),
  /** Of a deletion. */
  deleted_ts: z.string().optional(),
  previous_message: partSchema.optional(),
  /** Of a change. */
  message: partSchema.optional(),
});

/** What a sync would find something new after. */
const CHANGES: ReadonlySet<string> = new Set([
  'message',
  'channel_created',
  'channel_rename',
  'channel_archive',
  'channel_unarchive',
  'channel_deleted',
  'channel_history_changed',
  'channel_left',
  'group_rename',
  'group_archive',
  'group_unarchive',
  'group_deleted',
  'group_history_changed',
  'group_left',
  'member_joined_channel',
  'member_left_channel',
]);

export type SlackEvent =
  | { kind: 'verification'; challenge: string }
  /**
   * `deletedExternalId`: the item that is gone with the message. `changedExternalId`: one that exists and has to be read
   * again, however old it is. Both null where the sync finds out by itself.
   */
  | {
      kind: 'change';
      type: string;
      subtype: string | null;
      deletedExternalId: string | null;
      changedExternalId: string | null;
    }
  | { kind: 'other' };

/** The body of a request that Slack has signed; what isn't JSON or not known is `other`. */
export function readSlackEvent(body: Buffer): SlackEvent {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return { kind: 'other' };
  }
  const verification = verificationSchema.safeParse(value);
  if (verification.success) return { kind: 'verification', challenge: verification.data.challenge };
  const callback = callbackSchema.safeParse(value);
  if (!callback.success || !CHANGES.has(callback.data.event.type)) return { kind: 'other' };
  const { event } = callback.data;
  return { kind: 'change', type: event.type, subtype: event.subtype ?? null, ...findThread(event) };
}

const NO_THREAD = { deletedExternalId: null, changedExternalId: null };

/** A thread is one item and goes with its first message, unless that leaves replies behind. */
function findThread(event: unknown): { deletedExternalId: string | null; changedExternalId: string | null } {
  const parsed = messageSchema.safeParse(event);
  if (!parsed.success) return NO_THREAD;
  const { channel, subtype, deleted_ts: deleted, previous_message: previous, message, ts, thread_ts } = parsed.data;
  const changed = (root: string | undefined) => ({
    ...NO_THREAD,
    changedExternalId: root === undefined ? null : `${channel}:${root}`,
  });
  switch (subtype) {
    case 'message_deleted': {
      if (deleted === undefined) return NO_THREAD;
      const root = previous?.thread_ts ?? deleted;
      const leavesReplies = root !== deleted || (previous?.reply_count ?? 0) > 0;
      return leavesReplies ? changed(root) : { ...NO_THREAD, deletedExternalId: `${channel}:${deleted}` };
    }
    case 'message_changed':
      return changed(message?.thread_ts ?? message?.ts);
    default:
      // A new message is the newest of its channel; a reply belongs to a thread of any age.
      return thread_ts === ts ? NO_THREAD : changed(thread_ts);
  }
}
