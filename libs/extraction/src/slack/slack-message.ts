/** The parts of a Slack message that hold content, alike in Web API answers, events and export files. */
export interface SlackMessage {
  ts: string;
  thread_ts?: string | undefined;
  type?: string | undefined;
  subtype?: string | undefined;
  user?: string | undefined;
  bot_id?: string | undefined;
  username?: string | undefined;
  bot_profile?: { name?: string | undefined } | null | undefined;
  /** In exports: the author as the workspace knew it then. */
  user_profile?: { real_name?: string | undefined; display_name?: string | undefined } | null | undefined;
  text?: string | null | undefined;
  blocks?: unknown;
  attachments?: unknown;
  files?: unknown;
  edited?: { ts?: string | undefined; user?: string | undefined } | null | undefined;
  reply_count?: number | undefined;
  latest_reply?: string | undefined;
  hidden?: boolean | undefined;
}

/** What ids stand for; null = unknown, then the id itself is shown. */
export interface SlackNames {
  user(id: string): string | null;
  channel(id: string): string | null;
}

/** Messages that only say what happened to a channel. */
const HOUSEKEEPING = new Set([
  'channel_archive',
  'channel_canvas_updated',
  'channel_convert_to_private',
  'channel_convert_to_public',
  'channel_join',
  'channel_leave',
  'channel_name',
  'channel_posting_permissions',
  'channel_purpose',
  'channel_topic',
  'channel_unarchive',
  'bot_add',
  'bot_remove',
  'bot_enable',
  'bot_disable',
  'ekm_access_denied',
  'group_archive',
  'group_join',
  'group_leave',
  'group_name',
  'group_purpose',
  'group_topic',
  'group_unarchive',
  'message_changed',
  'message_deleted',
  'message_replied',
  'pinned_item',
  'reminder_add',
  'reply_broadcast',
  'unpinned_item',
]);

/** False for joins, topics and the like, and for the change records of the Events API. */
export function isSlackContent(message: SlackMessage): boolean {
  return isSlackTombstone(message) || (message.hidden !== true && !HOUSEKEEPING.has(message.subtype ?? ''));
}

/** What Slack leaves in the place of a deleted message whose replies remain. */
export function isSlackTombstone(message: SlackMessage): boolean {
  return message.subtype === 'tombstone';
}

/** The `ts` that names the thread: the root's own, also for a message without replies. */
export function readThreadTs(message: SlackMessage): string {
  return message.thread_ts ?? message.ts;
}

/** `1771294440.460020` → instant; null when it isn't a Slack timestamp. */
export function parseSlackTs(ts: string | undefined): Date | null {
  if (ts === undefined || !/^\d{1,12}(?:\.\d+)?$/.test(ts)) return null;
  return new Date(Math.trunc(Number(ts) * 1000));
}

/** Orders timestamps as Slack does: by seconds, then by sequence. */
export function compareSlackTs(left: string, right: string): number {
  const [leftSeconds = '', leftSequence = ''] = left.split('.');
  const [rightSeconds = '', rightSequence = ''] = right.split('.');
  return Number(leftSeconds) - Number(rightSeconds) || Number(leftSequence) - Number(rightSequence);
}
