import { invalidField, VERSIONS_PAGE_CHARACTERS } from '@candor/contracts';
import type { Page } from './page-cursor.js';

/** The version that a page of versions, newest first, ended with; null = none, so from the newest on. */
export function decodeVersionCursor(text: string | undefined): number | null {
  if (text === undefined) return null;
  const version = /^v([1-9]\d{0,8})$/.exec(Buffer.from(text, 'base64url').toString('utf8'))?.[1];
  if (version === undefined) throw invalidField('cursor', 'must be a cursor that an earlier page returned');
  return Number(version);
}

function encodeVersionCursor(version: number): string {
  return Buffer.from(`v${version}`).toString('base64url');
}

/**
 * As `pageOfRows`, and it also ends where the contents would become too much for one answer; the first row is always in.
 *
 * @param rows up to `limit + 1`, newest first.
 */
export function pageOfVersions<Row extends { version: number }>(
  rows: readonly Row[],
  limit: number,
  charactersOf: (row: Row) => number,
): Page<Row> {
  const kept: Row[] = [];
  let characters = 0;
  for (const row of rows.slice(0, limit)) {
    characters += charactersOf(row);
    if (kept.length > 0 && characters > VERSIONS_PAGE_CHARACTERS) break;
    kept.push(row);
  }
  const hasMore = kept.length < rows.length;
  const last = kept.at(-1);
  return { rows: kept, cursor: hasMore && last ? encodeVersionCursor(last.version) : null, hasMore };
}
