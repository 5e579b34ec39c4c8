import { Inject, Injectable } from '@nestjs/common';
import { Database, listLiveItemIds, readNow, readTruth, type TruthOfItem } from '@candor/persistence';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import type { LiveIndex } from '../features/index-item/live-generations.service.js';

export interface IndexDifferences {
  /** Live items of which the index has nothing. */
  missing: string[];
  /** Items that it has in a version older than the live one. */
  outdated: string[];
  /** Live items that it has in a version that will never go live, in place of the live one. */
  strayed: string[];
  /** Items of which it has a version that will never go live, and none is live. */
  leftover: string[];
  /** What it has and the database has not. */
  dangling: string[];
}

interface Entry {
  itemId: string;
  version: number;
}

const PAGE = 1_000;

/** Compares what an index really holds with the database. What changes while it looks is left out. */
@Injectable()
export class CompareIndexService {
  constructor(
    private readonly database: Database,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
  ) {}

  async compare({ generation, address }: LiveIndex, signal: AbortSignal): Promise<IndexDifferences> {
    const since = await this.database.read(readNow);
    const found = {
      outdated: new Set<string>(),
      strayed: new Set<string>(),
      leftover: new Set<string>(),
      dangling: new Set<string>(),
    };
    /** Live items whose chunks were seen, or that are changing. */
    const seen = new Set<string>();

    const judge = async (entries: readonly Entry[]): Promise<void> => {
      const ids = [...new Set(entries.map((entry) => entry.itemId))];
      const truth = await this.database.read((manager) => readTruth(manager, generation.tenantId, ids));
      for (const entry of entries) {
        const verdict = judgeEntry(entry, truth.get(entry.itemId), since);
        if (verdict !== 'fine' && verdict !== 'changing') found[verdict].add(entry.itemId);
        if (verdict !== 'dangling') seen.add(entry.itemId);
      }
    };

    let page: Entry[] = [];
    for await (const entry of this.writer.listVersions(address)) {
      signal.throwIfAborted();
      page.push(entry);
      if (page.length < PAGE) continue;
      await judge(page);
      page = [];
    }
    await judge(page);
    const missing = await this.findMissing(generation.tenantId, seen, since, signal);
    return {
      missing,
      // Mended with the rest of the item where both apply.
      outdated: [...found.outdated].filter((id) => !found.strayed.has(id)),
      strayed: [...found.strayed],
      leftover: [...found.leftover],
      dangling: [...found.dangling],
    };
  }

  private async findMissing(
    tenantId: string,
    seen: ReadonlySet<string>,
    since: Date,
    signal: AbortSignal,
  ): Promise<string[]> {
    const missing: string[] = [];
    let after: string | null = null;
    for (;;) {
      signal.throwIfAborted();
      const from: string | null = after;
      const ids: string[] = await this.database.read((manager) =>
        listLiveItemIds(manager, tenantId, from, PAGE, since),
      );
      missing.push(...ids.filter((id) => !seen.has(id)));
      const last = ids.at(-1);
      if (last === undefined) return missing;
      after = last;
    }
  }
}

/** Exported for its test. */
export function judgeEntry(
  { version }: Entry,
  truth: TruthOfItem | undefined,
  since: Date,
): 'fine' | 'changing' | 'outdated' | 'strayed' | 'leftover' | 'dangling' {
  if (!truth) return 'dangling';
  // Its own job takes it out of the index, and counts.
  if (truth.isDeleted) return truth.isPurged ? 'dangling' : 'changing';
  if (version === truth.liveVersion) return 'fine';
  if (truth.liveVersion === null || version > truth.liveVersion) {
    // Written before the commit that makes it live.
    if (truth.isInWork || !truth.endedVersions.includes(version)) return 'changing';
    return truth.liveVersion === null ? 'leftover' : 'strayed';
  }
  return truth.updatedAt > since ? 'changing' : 'outdated';
}
