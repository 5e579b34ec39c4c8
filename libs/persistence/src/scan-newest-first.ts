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
  /**
   * The next ones after this one, the first change first, of what changed since `since` did, or in a transaction that was
   * under way then: no longer than `LONGEST_CHANGE_MS` before.
   */
  readChanged: (since: Changed, after: Changed | null) => Promise<readonly Changed[]>;
  /** Looks through a batch of them; its own matches in the same order. */
  findIn: (ids: readonly string[]) => Promise<readonly Match[]>;
  /** Told every match once; true = enough was found. */
  isEnough: (match: Match) => boolean;
  signal: AbortSignal;
}

/**
 * A change bears the time at which its transaction began, and is there once that ends. None takes that long: they are a few
 * statements each. Nothing enforces it, though; what a longer one changes may be missing from searches that go on meanwhile.
 */
export const LONGEST_CHANGE_MS = 120_000;
/** As long as a batch should take: nobody is kept for longer by one who has gone away. */
const BATCH_MS = 200;
const FIRST_BATCH = 32;
const LARGEST_BATCH = 1_000;

/**
 * Looks through everything in batches, each a statement of its own: between two of them a connection is free for others, and
 * a caller who has gone ends the work. Memory holds two pages, the matches of one batch, and the ids of what changed within
 * `LONGEST_CHANGE_MS` of the newest. A batch that takes longer than a statement may is looked through again in smaller ones.
 *
 * What changes between two pages moves to the top, where the scan has been already: it is looked through in the end, the
 * first change first, so that what changes even then moves to where the scan has not been yet. Such matches come last.
 *
 * @throws AppError REQUEST.CANCELLED once the signal has fired.
 */
export async function scanNewestFirst<Match extends { id: string }>(scan: NewestFirstScan<Match>): Promise<void> {
  const batches = new Batches(scan);
  throwIfCancelled(scan.signal);
  const first = await scan.readPage(null);
  const newest = first[0];
  if (newest === undefined) return;
  const seen = new Seen(newest);
  for await (const page of pagesOf(scan, first, scan.readPage)) {
    seen.add(page);
    if (await batches.lookThrough(idsOf(page))) return;
  }
  // One statement has read everything that there was at one moment.
  if (first.length < scan.pageSize) return;
  throwIfCancelled(scan.signal);
  const readChanged = (after: Changed | null) => scan.readChanged(newest, after);
  for await (const page of pagesOf(scan, await readChanged(null), readChanged)) {
    const unseen = page.filter((changed) => !seen.has(changed));
    seen.add(unseen);
    if (await batches.lookThrough(idsOf(unseen))) return;
  }
}

async function* pagesOf<Match extends { id: string }>(
  { pageSize, signal }: NewestFirstScan<Match>,
  first: readonly Changed[],
  readPage: (after: Changed | null) => Promise<readonly Changed[]>,
): AsyncGenerator<readonly Changed[]> {
  for (let page = first; page.length > 0;) {
    yield page;
    if (page.length < pageSize) return;
    throwIfCancelled(signal);
    page = await readPage(page.at(-1) ?? null);
  }
}

function idsOf(page: readonly Changed[]): string[] {
  return page.map(({ id }) => id);
}

/** What was looked through and could come again as changed: an import of thousands may have been a moment ago. */
class Seen {
  private readonly times = new Map<string, string>();
  private readonly earliest: number;

  constructor(newest: Changed) {
    this.earliest = Date.parse(newest.updatedAt) - LONGEST_CHANGE_MS;
  }

  add(page: readonly Changed[]): void {
    for (const { id, updatedAt } of page) if (!(Date.parse(updatedAt) < this.earliest)) this.times.set(id, updatedAt);
  }

  /** As it is now. */
  has({ id, updatedAt }: Changed): boolean {
    return this.times.get(id) === updatedAt;
  }
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
