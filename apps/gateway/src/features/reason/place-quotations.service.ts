import { Injectable } from '@nestjs/common';
import type { LocatedStatement, ReasonData, ReasonQuotation } from '@candor/contracts';
import { Database, findCitedChunks, type CitedChunk } from '@candor/persistence';
import { requireCaller, visibilityOf } from '../../access/caller.js';

type PlacedStatement = NonNullable<ReasonData['statements']>[number];

/** Synthesis knows where a quotation stands in its chunk, and has no database; this says where that is in the source. */
@Injectable()
export class PlaceQuotationsService {
  constructor(private readonly database: Database) {}

  async place(statements: readonly LocatedStatement[]): Promise<PlacedStatement[]> {
    const viewer = visibilityOf(requireCaller());
    const chunkIds = new Set(statements.flatMap(({ quotations }) => quotations.map(({ chunkId }) => chunkId)));
    const chunks = await this.database.read((manager) => findCitedChunks(manager, viewer, [...chunkIds]));
    return statements.map(({ text, quotations }) => ({
      text,
      quotations: quotations.map(({ chunkId, quotation, start, end }) => ({
        chunkId,
        quotation,
        place: placeIn(chunks.get(chunkId), start, end),
      })),
    }));
  }
}

/** What was deleted, or taken from the caller, since retrieval has no place any more. */
function placeIn(chunk: CitedChunk | undefined, start: number, end: number): ReasonQuotation['place'] {
  if (!chunk) return null;
  const { version, contentHash, startIndex } = chunk;
  return { version, contentHash, start: startIndex + start, end: startIndex + end };
}
