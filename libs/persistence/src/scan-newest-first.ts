import { performance } from 'node:perf_hooks';
import { throwIfCancelled } from '@candor/runtime/cancellation';
import { isStatementTimeout } from './is-connection-failure.js';

/** What is looked through, in its order: the last change first. */
export interface Changed {
  id: string;
  /** As Postgres writes it, to the last digit. */
  updatedAt: string;
}

export interface NewestFirstScan<Match extends { id: string }> {
  /** The next ones after this one. */
  readPage: (after: Changed | null) => Promise<readonly Changed[]>;
  /** A page with fewer is the last one. */
  pageSize: number;
  /** Ids of all that changed since this one did, or in a transaction that was under way then; one statement, newest first. */
  readChanged: (since: Changed) => Promise<readonly string[]>;
  /** Looks through a batch of them; its own matches in the same order. */
  findIn: (ids: readonly string[]) => Promise<readonly Match[]>;
  /** Told every match once; true = enough was found. */
  isEnough: (match: Match) => boolean;
  signal: AbortSignal;
}

/** As long as a batch should take: nobody is kept for longer by one who has gone away. */
const BATCH_MS = 200;
const FIRST_BATCH = 32;
const LARGEST_BATCH = 1_000;

/**
 * Looks through everything in batches, each a statement of its own: between two of them a connection is free for others, and
 * a caller who has gone ends the work. Memory holds two pages of ids and the matches of one batch. One that takes longer than
 * a statement may is looked through again in smaller ones.
 *
 * What changes between two pages moves to the top, where the scan has been already: it is looked through in the end. Such
 * matches come last.
 *
 * @throws AppError REQUEST.CANCELLED once the signal has fired.
 */
export async function scanNewestFirst<Match extends { id: string }>(scan: NewestFirstScan<Match>): Promise<void> {
  const batches = new Batches(scan);
  const first = await readPage(scan, null);
  for (let page = first; page.length > 0;) {
    if (await batches.lookThrough(idsOf(page))) return;
    page = page.length < scan.pageSize ? [] : await readPage(scan, page.at(-1) ?? null);
  }
  const newest = first[0];
  // One statement has read everything that there was at one moment.
  if (newest === undefined || first.length < scan.pageSize) return;
  throwIfCancelled(scan.signal);
  const seen = new Set(idsOf(first));
  await batches.lookThrough((await scan.readChanged(newest)).filter((id) => !seen.has(id)));
}

function readPage<Match extends { id: string }>(
  { readPage: read, signal }: NewestFirstScan<Match>,
  after: Changed | null,
): Promise<readonly Changed[]> {
  throwIfCancelled(signal);
  return read(after);
}

function idsOf(page: readonly Changed[]): string[] {
  return page.map(({ id }) => id);
}

/** As many at once as take about as long as a batch should. */
class Batches<Match extends { id: string }> {
  private readonly told = new Set<string>();
  private size = FIRST_BATCH;

  constructor(private readonly scan: NewestFirstScan<Match>) {}

  /** True when enough was found. */
  async lookThrough(ids: readonly string[]): Promise<boolean> {
    for (let start = 0, end = 0; start < ids.length; start = end) {
      throwIfCancelled(this.scan.signal);
      end = Math.min(ids.length, start + this.size);
      const began = performance.now();
      const matches = await findInTime(this.scan, ids.slice(start, end));
      if (matches === null) {
        this.size = Math.floor((end - start) / 2);
        end = start;
        continue;
      }
      this.size = nextSize(this.size, performance.now() - began);
      if (matches.some((match) => this.isEnough(match))) return true;
    }
    return false;
  }

  private isEnough(match: Match): boolean {
    if (this.told.has(match.id)) return false;
    this.told.add(match.id);
    return this.scan.isEnough(match);
  }
}

/** Null when they are too many for one statement. */
async function findInTime<Match extends { id: string }>(
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
