import { invalidField } from '@candor/contracts';

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
    if (
      Array.isArray(value) &&
      typeof value[0] === 'string' &&
      typeof value[1] === 'string' &&
      !Number.isNaN(Date.parse(value[0]))
    )
      return { at: value[0], id: value[1] };
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
