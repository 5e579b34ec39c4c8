import { invalidField } from '@candor/contracts';

/** As `toISOString` writes it, within the years that Postgres reads as well. */
const INSTANT = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function isInstant(value: unknown): value is string {
  if (typeof value !== 'string' || !INSTANT.test(value)) return false;
  // February has no 31st, which Date and Postgres see differently.
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
}

function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Where a walk in the order of ids begins: no row has it. */
export const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';

/** Where a page of a list ordered by (createdAt, id) ended. */
export interface PageCursor {
  at: string;
  id: string;
}

export interface Page<Row> {
  rows: Row[];
  cursor: string | null;
  hasMore: boolean;
}

export function encodeCursor(cursor: PageCursor): string {
  return Buffer.from(JSON.stringify([cursor.at, cursor.id])).toString('base64url');
}

export function decodeCursor(text: string | undefined): PageCursor | null {
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Array.isArray(value) && isInstant(value[0]) && isUuid(value[1])) return { at: value[0], id: value[1] };
  } catch {
    // Falls through to the same answer as any other text that we did not make.
  }
  throw invalidField('cursor', 'must be a cursor that an earlier page returned');
}

/** Callers ask for `limit + 1` rows; the surplus one says that there is more. */
export function pageOfRows<Row>(rows: Row[], limit: number, cursorOf: (row: Row) => PageCursor): Page<Row> {
  const hasMore = rows.length > limit;
  const kept = hasMore ? rows.slice(0, limit) : rows;
  const last = kept.at(-1);
  return { rows: kept, cursor: hasMore && last ? encodeCursor(cursorOf(last)) : null, hasMore };
}
