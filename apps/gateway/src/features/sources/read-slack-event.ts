import { z } from 'zod';

const verificationSchema = z.looseObject({ type: z.literal('url_verification'), challenge: z.string().max(1_000) });
const callbackSchema = z.looseObject({
  type: z.literal('event_callback'),
  event: z.looseObject({ type: z.string().max(100), subtype: z.string().max(100).optional() }),
});
const deletionSchema = z.looseObject({
  channel: z.string(),
  deleted_ts: z.string(),
  previous_message: z.looseObject({ thread_ts: z.string().optional(), reply_count: z.number().optional() }).optional(),
});

/** What a sync would find something new after. */
const CHANGES: ReadonlySet<string> = new Set([
  'message',
  'channel_created',
  'channel_rename',
  'channel_archive',
  'channel_unarchive',
  'channel_deleted',
  'group_rename',
  'group_archive',
  'group_unarchive',
  'member_joined_channel',
  'member_left_channel',
]);

export type SlackEvent =
  | { kind: 'verification'; challenge: string }
  /** `deletedExternalId`: the item that is gone with the message; null where it only changes, or nothing is deleted. */
  | { kind: 'change'; type: string; subtype: string | null; deletedExternalId: string | null }
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
  return {
    kind: 'change',
    type: event.type,
    subtype: event.subtype ?? null,
    deletedExternalId: event.subtype === 'message_deleted' ? findDeletedThread(event) : null,
  };
}

/** A thread is one item and goes with its first message, unless that leaves replies behind. */
function findDeletedThread(event: unknown): string | null {
  const deletion = deletionSchema.safeParse(event);
  if (!deletion.success) return null;
  const { channel, deleted_ts: deleted, previous_message: message } = deletion.data;
  const isReply = message?.thread_ts !== undefined && message.thread_ts !== deleted;
  return isReply || (message?.reply_count ?? 0) > 0 ? null : `${channel}:${deleted}`;
}
