import { performance } from 'node:perf_hooks';
import { throwIfCancelled } from '@candor/runtime/cancellation';
import { isStatementTimeout } from './is-connection-failure.js';

/** What is looked through, in its order: the last change first. */
export interface Changed {
  id: string;
  /** As Postgres writes it, to the last digit. */
  updatedAt: string;
}

export interface NewestFirstScan<Match> {
  /** The next ones after this one; [] = no more. */
  readPage: (after: Changed | null) => Promise<readonly Changed[]>;
  /** Looks through a batch of them; its own matches in the same order. */
  findIn: (ids: readonly string[]) => Promise<readonly Match[]>;
  /** Told every match; true = enough was found. */
  isEnough: (match: Match) => boolean;
  signal: AbortSignal;
}

/** As long as a batch should take: nobody is kept for longer by one who has gone away. */
const BATCH_MS = 200;
const FIRST_BATCH = 32;
const LARGEST_BATCH = 1_000;

/**
 * Looks through everything in batches, each a statement of its own: between two of them a connection is free for others, and
 * a caller who has gone ends the work. Memory holds one page of ids and the matches of one batch. One that takes longer than
 * a statement may is looked through again in smaller ones.
 *
 * @throws AppError REQUEST.CANCELLED once the signal has fired.
 */
export async function scanNewestFirst<Match>(scan: NewestFirstScan<Match>): Promise<void> {
  let size = FIRST_BATCH;
  let after: Changed | null = null;
  for (;;) {
    throwIfCancelled(scan.signal);
    const page = await scan.readPage(after);
    for (let start = 0, end = 0; start < page.length; start = end) {
      throwIfCancelled(scan.signal);
      end = Math.min(page.length, start + size);
      const began = performance.now();
      const ids = page.slice(start, end).map(({ id }) => id);
      const matches = await findInTime(scan, ids);
      if (matches === null) {
        size = Math.floor(ids.length / 2);
        end = start;
        continue;
      }
      size = nextSize(size, performance.now() - began);
      for (const match of matches) if (scan.isEnough(match)) return;
    }
    const last = page.at(-1);
    if (!last) return;
    after = last;
  }
}

/** Null when they are too many for one statement. */
async function findInTime<Match>(
  { findIn }: NewestFirstScan<Match>,
  ids: readonly string[],
): Promise<readonly Match[] | null> {
  try {
    return await findIn(ids);
  } catch (error) {
    if (ids.length > 1 && isStatementTimeout(error)) return null;
    throw error;
  }
}

/** Texts of a few words are looked through by the thousand, books one by one. */
function nextSize(size: number, tookMs: number): number {
  if (tookMs > 2 * BATCH_MS) return Math.max(1, Math.floor(size / 4));
  return tookMs < BATCH_MS / 2 ? Math.min(LARGEST_BATCH, size * 2) : size;
}
