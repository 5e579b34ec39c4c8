import type { LibraryHead, LibraryItemType, LiteralMatch, ReadScope } from '@candor/persistence/views';
import { cutHighlight } from './cut-highlight.js';
import type { LibraryFinder, LibraryMatch, LibraryQuery } from './library-finder.js';
import type { LibraryReads } from './library-reads.js';
import type { LiteralScans } from './literal-scans.js';

/** Where something stands says how well it is found; the words themselves are all there, or it isn't. */
const SCORES: Record<LiteralMatch['field'], number> = { title: 1, description: 0.9, body: 0.8 };

/** What holds the query as it is written, in any case. Read in the database: what was changed is found at once. */
export class LiteralFinder implements LibraryFinder {
  constructor(
    private readonly library: LibraryReads,
    private readonly scans: LiteralScans,
    private readonly tenantId: string,
    private readonly scope: ReadScope,
    private readonly signal: AbortSignal,
  ) {}

  async findPrompts(query: LibraryQuery): Promise<LibraryMatch[]> {
    const found = await this.scan(() => this.library.findPrompts(this.tenantId, this.whileWanted(query)));
    return this.withHeads('prompt', found);
  }

  async findCollections(query: LibraryQuery): Promise<LibraryMatch[]> {
    const found = await this.scan(() => this.library.findCollections(this.tenantId, this.whileWanted(query)));
    return this.withHeads('collection', found);
  }

  async findDocuments(query: LibraryQuery): Promise<LibraryMatch[]> {
    const viewer = {
      tenantId: this.tenantId,
      providers: this.scope.allowedProviders === null ? null : [...this.scope.allowedProviders],
      principals: this.scope.principals === null ? null : [...this.scope.principals],
    };
    const found = await this.scan(() => this.library.findDocuments(viewer, this.whileWanted(query)));
    const titles = await this.library.documentTitles(
      viewer,
      found.map(({ id }) => id),
    );
    return found.flatMap((match) => {
      const title = titles.get(match.id);
      return title === undefined ? [] : [toMatch(match, { id: match.id, title, description: null })];
    });
  }

  private scan(read: () => Promise<LiteralMatch[]>): Promise<LiteralMatch[]> {
    return this.scans.run(read, this.signal);
  }

  private whileWanted(query: LibraryQuery): LibraryQuery & { signal: AbortSignal } {
    return { ...query, signal: this.signal };
  }

  private async withHeads(itemType: LibraryItemType, found: readonly LiteralMatch[]): Promise<LibraryMatch[]> {
    const ids = found.map(({ id }) => id);
    const heads = await this.library.heads(this.tenantId, itemType, ids);
    return found.flatMap((match) => {
      const head = heads.get(match.id);
      return head ? [toMatch(match, head)] : [];
    });
  }
}

function toMatch(match: LiteralMatch, head: LibraryHead): LibraryMatch {
  return {
    ...head,
    score: SCORES[match.field],
    ...(match.window === null ? {} : { highlight: cutHighlight(match) }),
    ...(match.chunkId === null ? {} : { chunkId: match.chunkId }),
  };
}
