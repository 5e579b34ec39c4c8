import { MatchQuery, type Query, type Table, type VectorQuery } from '@lancedb/lancedb';
import { access, mkdir } from 'node:fs/promises';
import { throwIfCancelled, untilCancelled } from '@candor/runtime/cancellation';
import { profileMismatch } from '../check-operations.js';
import { assertCandidateQuery, matchesNothing } from '../chunk-filter.js';
import { cosineOf, mergeLegs, type LegHit } from '../merge-legs.js';
import type { CandidateQuery, CandidateResult, IndexAddress, SearchIndexReader } from '../search-index.port.js';
import { buildWhere } from './build-where.js';
import { fromRow } from './chunk-row.js';
import { LanceDbStore, type LanceDbOptions, type Tables } from './lancedb-store.js';
import { mapLanceDbError } from './map-lancedb-error.js';
import { segmentQuery } from './segment-text.js';

/** Compares every permitted vector: there is no approximate index, the profile is meant for up to 100,000 chunks. */
export class LanceDbReader implements SearchIndexReader {
  private readonly store: LanceDbStore;

  constructor(private readonly options: LanceDbOptions) {
    this.store = LanceDbStore.acquire(options);
  }

  async findCandidates(address: IndexAddress, query: CandidateQuery): Promise<CandidateResult> {
    const partition = this.store.partition(address);
    assertCandidateQuery(query);
    throwIfCancelled(query.signal);
    if (matchesNothing(query.filter)) return { candidates: [], exact: true };
    const where = buildWhere(query.filter);
    // Not behind the gate: whoever compacts would wait for the embedding, and all others for that.
    const vector = await untilCancelled(Promise.resolve(query.vector), query.signal);
    const work = partition.gate.shared(async () => {
      const tables = await partition.open();
      if (!tables) throw new Error('The index is not there.');
      return searchTables(tables, { ...query, vector }, where);
    });
    try {
      return await untilCancelled(work, query.signal);
    } catch (error) {
      throw mapLanceDbError(error);
    }
  }

  async ping(signal?: AbortSignal): Promise<void> {
    throwIfCancelled(signal);
    try {
      await mkdir(this.options.directory, { recursive: true });
      await access(this.options.directory);
    } catch (error) {
      throw mapLanceDbError(error);
    }
  }

  async close(): Promise<void> {
    await this.store.release();
  }
}

type EmbeddedQuery = CandidateQuery & { vector: Float32Array };

async function searchTables(tables: Tables, query: EmbeddedQuery, where: string): Promise<CandidateResult> {
  if (query.vector.length !== tables.dimensions) throw profileMismatch(tables.dimensions, query.vector.length);
  // History would distort today's keyword statistics, so it is asked only about the past.
  const searched = query.filter.knownAsOf === undefined ? [tables.live] : [tables.live, tables.history];
  const [dense, lexical] = await Promise.all([
    Promise.all(searched.map((table) => findNearest(table, query, where))),
    Promise.all(searched.map((table) => findMatching(table, query, where))),
  ]);
  return {
    candidates: mergeLegs(best(dense.flat(), query.k), best(lexical.flat(), query.k)),
    exact: true,
  };
}

function findNearest(table: Table, query: EmbeddedQuery, where: string): Promise<LegHit[]> {
  const search = table.vectorSearch(query.vector).distanceType('cosine').where(where).limit(query.k);
  // Distance is 1 − cosine; higher must be better.
  return readHits(search, query.vector, '_distance', (distance) => 1 - distance);
}

async function findMatching(table: Table, query: EmbeddedQuery, where: string): Promise<LegHit[]> {
  // A match query has no syntax of its own: whatever the text holds is words.
  const match = new MatchQuery(segmentQuery(query.text), 'searchText');
  const search = table.query().fullTextSearch(match).where(where).limit(query.k);
  return readHits(search, query.vector, '_score', (score) => score);
}

async function readHits(
  search: Query | VectorQuery,
  queryVector: Float32Array,
  scoreColumn: string,
  toScore: (value: number) => number,
): Promise<LegHit[]> {
  const result = await search.select(['document', 'vector', scoreColumn]).toArrow();
  const documents = result.getChild('document');
  const vectors = result.getChild('vector');
  const scores = result.getChild(scoreColumn);
  const hits: LegHit[] = [];
  for (let row = 0; row < result.numRows; row += 1) {
    const vector = (vectors?.get(row) as { toArray(): Float32Array }).toArray();
    hits.push({
      chunk: fromRow(documents?.get(row) as string),
      cosine: cosineOf(queryVector, vector),
      score: toScore(scores?.get(row) as number),
    });
  }
  return hits;
}

function best(hits: LegHit[], k: number): LegHit[] {
  return hits.length <= k ? hits : hits.sort((left, right) => right.score - left.score).slice(0, k);
}
