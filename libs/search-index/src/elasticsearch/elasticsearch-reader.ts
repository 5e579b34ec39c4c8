import type { Client, estypes } from '@elastic/elasticsearch';
import { throwIfCancelled } from '../cancellation.js';
import { assertCandidateQuery, matchesNothing } from '../chunk-filter.js';
import { mergeLegs, type LegHit } from '../merge-legs.js';
import type { CandidateQuery, CandidateResult, IndexAddress, SearchIndexReader } from '../search-index.port.js';
import { buildSearches } from './build-search.js';
import { fromHit, type ChunkSource, type VectorFormat } from './chunk-source.js';
import { createSearchClient, type ElasticsearchOptions } from './elasticsearch-client.js';
import { indexNames } from './index-names.js';
import { indexUnavailable, mapElasticsearchError, mapStatus } from './map-elasticsearch-error.js';

type Part = estypes.MsearchResponseItem<ChunkSource>;

export class ElasticsearchReader implements SearchIndexReader {
  private readonly client: Client;
  private readonly timeoutMs: number;
  private vectorFormat: VectorFormat = 'binary';

  constructor(options: ElasticsearchOptions) {
    ({ client: this.client, timeoutMs: this.timeoutMs } = createSearchClient(options));
  }

  async findCandidates(address: IndexAddress, query: CandidateQuery): Promise<CandidateResult> {
    const names = indexNames(address);
    assertCandidateQuery(query);
    throwIfCancelled(query.signal);
    if (matchesNothing(query.filter)) return { candidates: [], exact: true };

    // History would distort today's keyword statistics, so it is asked only about the past.
    const index = query.filter.knownAsOf === undefined ? [names.live] : [names.live, names.history];
    let parts = await this.search(index, query);
    if (this.vectorFormat === 'binary' && parts.some(lacksBinaryVectors)) {
      this.vectorFormat = 'array';
      parts = await this.search(index, query);
    }
    if (parts.some(isMissing)) return { candidates: [], exact: true };
    const [dense, lexical] = parts.map(readHits);
    // The graph is approximate (int8_hnsw) except under narrow filters, and the server doesn't say which it was.
    return { candidates: mergeLegs(query.vector, dense ?? [], lexical ?? []), exact: false };
  }

  async ping(signal?: AbortSignal): Promise<void> {
    try {
      await this.client.cluster.health({ timeout: '1s' }, signal ? { signal } : {});
    } catch (error) {
      throw mapElasticsearchError(error);
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async search(index: string[], query: CandidateQuery): Promise<Part[]> {
    const bodies = buildSearches(query, { vectorFormat: this.vectorFormat, timeoutMs: this.timeoutMs });
    try {
      const response = await this.client.msearch<ChunkSource>(
        { searches: bodies.flatMap((body) => [{ index }, body]) },
        query.signal ? { signal: query.signal } : {},
      );
      return response.responses;
    } catch (error) {
      throw mapElasticsearchError(error);
    }
  }
}

/** Refuses what is not complete: an answer with a shard missing looks like an answer. */
function readHits(part: Part): LegHit[] {
  if ('error' in part) throw mapStatus(part.status, JSON.stringify(part.error), part.error);
  if (part.timed_out || part._shards.failed > 0) {
    throw indexUnavailable(new Error(`timed_out ${part.timed_out}, shards failed ${part._shards.failed}`));
  }
  return part.hits.hits.map((hit) => ({ chunk: fromHit(hit), score: hit._score ?? 0 }));
}

function isMissing(part: Part): boolean {
  return 'error' in part && part.error.type === 'index_not_found_exception';
}

function lacksBinaryVectors(part: Part): boolean {
  return 'error' in part && /support format \[binary\]|doesn't support formats/.test(JSON.stringify(part.error));
}
