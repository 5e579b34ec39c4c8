import { z } from 'zod';
import type { SyncCursor } from '../source-connector.port.js';

const listSchema = z.object({
  phase: z.literal('list'),
  /** Which of the scope's queries, and where in it. */
  query: z.number().int().min(0),
  pageToken: z.string().nullable(),
  /** Where the changes begin that happen during the listing; null when the server has no such feed. */
  changesToken: z.string().nullable(),
});
const changesSchema = z.object({
  phase: z.literal('changes'),
  pageToken: z.string(),
  /** Something changed that the feed tells only in part: list everything when its end is reached. */
  mustList: z.boolean(),
});
export type ListState = z.infer<typeof listSchema>;
export type ChangesState = z.infer<typeof changesSchema>;
export type DriveCursor = ListState | ChangesState;

export function parseDriveCursor(cursor: SyncCursor | null): DriveCursor | null {
  return z.union([listSchema, changesSchema]).safeParse(cursor).data ?? null;
}

export function startListing(changesToken: string | null): ListState {
  return { phase: 'list', query: 0, pageToken: null, changesToken };
}
