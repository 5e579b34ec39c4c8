import type { GmailHistoryRecord } from './gmail-client.js';
import { listAttachmentIds } from './to-gmail-items.js';

/** Labels that decide whether a message counts; the others (read, starred, archived) say nothing about content. */
const DECISIVE = ['DRAFT', 'SPAM', 'TRASH'];

export interface HistoryChanges {
  threadIds: string[];
  /** What messages that are gone for good may have had attached. */
  deletedIds: string[];
}

export function readHistory(records: readonly GmailHistoryRecord[]): HistoryChanges {
  const threadIds = new Set<string>();
  const deletedIds: string[] = [];
  for (const record of records) {
    for (const { message } of record.messagesAdded ?? []) threadIds.add(message.threadId);
    for (const { message } of record.messagesDeleted ?? []) {
      threadIds.add(message.threadId);
      deletedIds.push(...listAttachmentIds(message.threadId, message.id));
    }
    for (const { message, labelIds } of [...(record.labelsAdded ?? []), ...(record.labelsRemoved ?? [])]) {
      if (labelIds?.some((label) => DECISIVE.includes(label))) threadIds.add(message.threadId);
    }
  }
  return { threadIds: [...threadIds], deletedIds };
}
