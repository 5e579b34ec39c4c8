import { z } from 'zod';
import type { SyncCursor } from '../source-connector.port.js';

const listSchema = z.object({
  phase: z.literal('list'),
  pageToken: z.string().nullable(),
  /** Where the history begins that happens during the listing. */
  historyId: z.string(),
  /** Threads that haven't changed since are passed over; null = none are. */
  since: z.string().nullable(),
  /** False for servers without one, and with a search query, which the history knows nothing of. */
  hasHistory: z.boolean(),
});
const historySchema = z.object({
  phase: z.literal('history'),
  historyId: z.string(),
  pageToken: z.string().nullable(),
});
/** A listing has ended after which there is no history to follow: the next run lists again. */
const idleSchema = z.object({ phase: z.literal('idle'), since: z.string().nullable() });

export type GmailListState = z.infer<typeof listSchema>;
export type GmailHistoryState = z.infer<typeof historySchema>;
export type GmailCursor = GmailListState | GmailHistoryState | z.infer<typeof idleSchema>;

export function parseGmailCursor(cursor: SyncCursor | null): GmailCursor | null {
  return z.union([listSchema, historySchema, idleSchema]).safeParse(cursor).data ?? null;
}

/** History ids are integers beyond what a number holds. */
export function isChangedSince(historyId: string | null | undefined, since: string | null): boolean {
  if (since === null || !historyId || !/^\d+$/.test(historyId) || !/^\d+$/.test(since)) return true;
  return BigInt(historyId) > BigInt(since);
}
