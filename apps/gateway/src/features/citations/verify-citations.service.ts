import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { CitationCheck, CitationReason, VerifyCitationsBody } from '@candor/contracts';
import {
  Database,
  findCitedChunks,
  findVersionByHash,
  readVersionText,
  type CitedChunk,
  type Transaction,
} from '@candor/persistence';
import { normalizeWhitespace, QuotationSource, type FoundQuotation } from '@candor/reasoning';
import { requireRequestContext } from '@candor/runtime';
import { validate as isUuid } from 'uuid';
import { requireCaller, visibilityOf } from '../../access/caller.js';

type Citation = VerifyCitationsBody['citations'][number];

interface Located {
  citation: Citation;
  ordinal: number;
  chunk: CitedChunk;
}

/** Looks quotations up in the texts that the caller may read, from the truth and not from the index. */
@Injectable()
export class VerifyCitationsService {
  /** Between two pieces of work, so that a large request keeps nobody waiting. */
  private readonly pause: () => Promise<void> = () => setImmediate();

  constructor(private readonly database: Database) {}

  async verify(citations: readonly Citation[]): Promise<CitationCheck[]> {
    const viewer = visibilityOf(requireCaller());
    const chunkIds = citations.map(({ chunkId }) => chunkId.toLowerCase()).filter((chunkId) => isUuid(chunkId));
    const results = citations.map(({ chunkId }) => rejected(chunkId, 'unknown_chunk'));
    const itemIds = await this.database.read(async (manager) => {
      const chunks = await findCitedChunks(manager, viewer, [...new Set(chunkIds)]);
      const located = citations.flatMap((citation, ordinal) => {
        const chunk = chunks.get(citation.chunkId.toLowerCase());
        return chunk ? [{ citation, ordinal, chunk }] : [];
      });
      const found = [...new Set(located.map(({ chunk }) => chunk.itemId))];
      // An item's texts may be large: they are held for one item at a time.
      for (const itemId of found) {
        const texts = new ItemTexts(manager, viewer.tenantId, this.pause);
        for (const each of located.filter(({ chunk }) => chunk.itemId === itemId)) {
          results[each.ordinal] = await check(each, texts);
          await this.pause();
        }
      }
      return found;
    });
    noteResults(itemIds, results);
    return results;
  }
}

/** The texts of one item's versions, each read once. */
class ItemTexts {
  private readonly texts = new Map<number, string>();
  private readonly sources = new Map<string, QuotationSource>();

  constructor(
    private readonly transaction: Transaction,
    private readonly tenantId: string,
    private readonly pause: () => Promise<void>,
  ) {}

  /** The version that the citation is checked against: the cited one if it says so, else the current one. */
  async versionFor({ citation, chunk }: Located): Promise<number | null> {
    if (citation.contentHash === undefined) return chunk.liveVersion;
    const contentHash = citation.contentHash.toLowerCase();
    return findVersionByHash(this.transaction, this.tenantId, chunk.itemId, { contentHash, preferred: chunk.version });
  }

  async findIn(chunk: CitedChunk, version: number, quotation: string, range?: [start: number, end: number]) {
    const key = `${version}:${range?.join('-') ?? ''}`;
    let source = this.sources.get(key);
    if (!source) {
      const text = await this.read(chunk.itemId, version);
      source = new QuotationSource(range ? text.slice(...range) : text);
      await source.prepare(this.pause);
      this.sources.set(key, source);
    }
    return source.find(quotation);
  }

  private async read(itemId: string, version: number): Promise<string> {
    const known = this.texts.get(version);
    if (known !== undefined) return known;
    // Deleted in this moment: nothing is left that could be quoted.
    const text = (await readVersionText(this.transaction, this.tenantId, itemId, version)) ?? '';
    this.texts.set(version, text);
    return text;
  }
}

async function check(located: Located, texts: ItemTexts): Promise<CitationCheck> {
  const { citation, chunk } = located;
  const { chunkId, quotation } = citation;
  if (normalizeWhitespace(quotation) === '') return rejected(chunkId, 'empty_quotation');
  const version = await texts.versionFor(located);
  if (version === null) return rejected(chunkId, 'unknown_version');
  const range: [number, number] = [chunk.startIndex, chunk.endIndex];
  const inChunk = await texts.findIn(chunk, chunk.version, quotation, range);
  if (inChunk && version === chunk.version) return accepted(chunkId, inChunk, chunk.startIndex);
  // In another version the chunk's place means nothing: the words count, wherever they stand now.
  const inItem = await texts.findIn(chunk, version, quotation);
  if (inChunk && inItem) return accepted(chunkId, inItem, 0);
  if (inChunk) return rejected(chunkId, 'version_changed');
  return rejected(chunkId, inItem ? 'elsewhere_in_item' : 'not_found');
}

function accepted(chunkId: string, found: FoundQuotation, offset: number): CitationCheck {
  return {
    chunkId,
    status: found.status,
    start: found.start + offset,
    end: found.end + offset,
    quotation: found.quotation,
  };
}

function rejected(chunkId: string, reason: CitationReason): CitationCheck {
  return { chunkId, status: 'rejected', reason };
}

function noteResults(itemIds: readonly string[], results: readonly CitationCheck[]): void {
  const countOf = (status: CitationCheck['status']) => results.filter((result) => result.status === status).length;
  Object.assign(requireRequestContext().audit.metadata, {
    itemIds,
    citations: { verified: countOf('verified'), repaired: countOf('repaired'), rejected: countOf('rejected') },
  });
}
