import { Injectable } from '@nestjs/common';
import type { LocatedStatement, ReasonData } from '@candor/contracts';
import { Database, findApiKey, findCitedChunks, type CitedChunk, type Transaction } from '@candor/persistence';
import { requireCaller, toCaller, visibilityOf, type Caller } from '../../access/caller.js';

type PlacedStatement = NonNullable<ReasonData['statements']>[number];

/**
 * Synthesis knows where a quotation stands in its chunk, and has no database; this says where that is in the source.
 * A model takes seconds to answer: what was deleted in that time, or taken from the caller, is not quoted any more.
 */
@Injectable()
export class PlaceQuotationsService {
  constructor(private readonly database: Database) {}

  async place(statements: readonly LocatedStatement[]): Promise<PlacedStatement[]> {
    const caller = requireCaller();
    const chunkIds = new Set(statements.flatMap(({ quotations }) => quotations.map(({ chunkId }) => chunkId)));
    const chunks = await this.database.read((manager) => findPresentChunks(manager, caller, [...chunkIds]));
    return statements.map(({ text, quotations }) => ({
      text,
      quotations: quotations.map((located) => placeOrWithhold(located, chunks.get(located.chunkId))),
    }));
  }
}

/** By the key as it is now, not as it was when the question came: a key that ended since sees nothing. */
async function findPresentChunks(
  transaction: Transaction,
  { apiKey: { tenantId, id }, tenant }: Caller,
  chunkIds: readonly string[],
): Promise<Map<string, CitedChunk>> {
  const apiKey = await findApiKey(transaction, tenantId, id);
  if (!apiKey || apiKey.revokedAt || (apiKey.expiresAt && apiKey.expiresAt.getTime() <= Date.now())) return new Map();
  return findCitedChunks(transaction, visibilityOf(toCaller(apiKey, tenant)), chunkIds);
}

function placeOrWithhold(
  { chunkId, quotation, start, end }: LocatedStatement['quotations'][number],
  chunk: CitedChunk | undefined,
): PlacedStatement['quotations'][number] {
  if (!chunk) return { chunkId, quotation: null, place: null };
  const { version, contentHash, startIndex } = chunk;
  return { chunkId, quotation, place: { version, contentHash, start: startIndex + start, end: startIndex + end } };
}
