import type { Client, estypes } from '@elastic/elasticsearch';
import { throwIfCancelled } from '@candor/runtime/cancellation';
import { assertCandidateQuery, matchesNothing } from '../chunk-filter.js';
import { cosineOf, mergeLegs, type LegHit } from '../merge-legs.js';
import type { CandidateQuery, CandidateResult, IndexAddress, SearchIndexReader } from '../search-index.port.js';
import { buildDenseSearch, buildLexicalSearch } from './build-search.js';
import { fromHit, vectorOf, type ChunkSource, type VectorFormat } from './chunk-source.js';
import { createSearchClient, type ElasticsearchOptions } from './elasticsearch-client.js';
import { indexNames } from './index-names.js';
import { indexUnavailable, mapElasticsearchError, mapStatus } from './map-elasticsearch-error.js';
import { SearchCircuit } from './search-circuit.js';

type Part = estypes.MsearchResponseItem<ChunkSource>;

export class ElasticsearchReader implements SearchIndexReader {
  private readonly client: Client;
  private readonly timeoutMs: number;
  private readonly circuit: SearchCircuit;
  private vectorFormat: VectorFormat = 'binary';

  constructor(options: ElasticsearchOptions) {
    ({ client: this.client, timeoutMs: this.timeoutMs } = createSearchClient(options));
    this.circuit = new SearchCircuit(options.circuitResetMs);
  }

  async findCandidates(address: IndexAddress, query: CandidateQuery): Promise<CandidateResult> {
    const names = indexNames(address);
    assertCandidateQuery(query);
    throwIfCancelled(query.signal);
    if (matchesNothing(query.filter)) return { candidates: [], exact: true };

    // History would distort today's keyword statistics, so it is asked only about the past.
    const index = query.filter.knownAsOf === undefined ? [names.live] : [names.live, names.history];
    const format = this.vectorFormat;
    let parts = await this.search(index, query, format);
    if (format === 'binary' && lacksBinaryVectors(parts.lexical)) {
      this.vectorFormat = 'array';
      parts = await this.search(index, query, 'array');
    }
    const { dense, lexical } = parts;
    if (isMissing(dense) || isMissing(lexical)) throw indexUnavailable(new Error('The index is not there.'));
    const vector = await query.vector;
    const nearest = hitsOf(dense).map((hit) => ({ chunk: fromHit(hit), cosine: 2 * scoreOf(hit) - 1 }));
    const matching = hitsOf(lexical).map((hit): LegHit => ({
      chunk: fromHit(hit),
      cosine: cosineOf(vector, vectorOf(hit)),
      score: scoreOf(hit),
    }));
    // The graph is approximate (int8_hnsw) except under narrow filters, and the server doesn't say which it was.
    return { candidates: mergeLegs(nearest, matching), exact: false };
  }

  async ping(signal?: AbortSignal): Promise<void> {
    try {
      await this.client.cluster.health({ timeout: '1s' }, signal ? { signal } : {});
    } catch (error) {
      throw mapElasticsearchError(error);
    }
  }

  async close(): Promise<void> {
    this.circuit.close();
    await this.client.close();
  }

  /** One round trip; two when the vector is still being made, so that the words are looked up meanwhile. */
  private async search(
    index: string[],
    query: CandidateQuery,
    vectorFormat: VectorFormat,
  ): Promise<{ dense: Part; lexical: Part }> {
    const options = { vectorFormat, timeoutMs: this.timeoutMs };
    const send = (...bodies: estypes.SearchSearchRequestBody[]): Promise<Part[]> =>
      this.send(index, bodies, query.signal);
    const lexicalSearch = buildLexicalSearch(query, options);
    if (query.vector instanceof Float32Array) {
      const [dense, lexical] = await send(buildDenseSearch(query, query.vector, options), lexicalSearch);
      return { dense: required(dense), lexical: required(lexical) };
    }
    const [[dense], [lexical]] = await Promise.all([
      query.vector.then((vector) => send(buildDenseSearch(query, vector, options))),
      send(lexicalSearch),
    ]);
    return { dense: required(dense), lexical: required(lexical) };
  }

  private async send(
    index: string[],
    bodies: estypes.SearchSearchRequestBody[],
    signal: AbortSignal | undefined,
  ): Promise<Part[]> {
    try {
      // Words weigh the same in whichever shard they are; with one shard the server leaves that round out.
      const header = { index, search_type: 'dfs_query_then_fetch' as const };
      const request = { searches: bodies.flatMap((body) => [header, body]) };
      const { responses } = await this.circuit.run(
        () => this.client.msearch<ChunkSource>(request, signal ? { signal } : {}),
        signal,
      );
      return responses;
    } catch (error) {
      throw mapElasticsearchError(error);
    }
  }
}

function required(part: Part | undefined): Part {
  if (!part) throw indexUnavailable(new Error('A part of the answer is missing.'));
  return part;
}

/** Refuses what is not complete: an answer with a shard missing looks like an answer. */
function hitsOf(part: Part): estypes.SearchHit<ChunkSource>[] {
  if ('error' in part) throw mapStatus(part.status, JSON.stringify(part.error), part.error);
  const { failed, successful, total } = part._shards;
  if (part.timed_out || failed > 0 || successful < total) {
    throw indexUnavailable(new Error(`timed_out ${part.timed_out}, shards failed ${failed} of ${total}`));
  }
  return part.hits.hits;
}

function scoreOf(hit: estypes.SearchHit<ChunkSource>): number {
  return hit._score ?? 0;
}

function isMissing(part: Part): boolean {
  return 'error' in part && part.error.type === 'index_not_found_exception';
}

/** Older nodes refuse; beside newer ones, and with history asked too, only some of the shards are theirs. */
function lacksBinaryVectors(part: Part): boolean {
  const refusal = 'error' in part ? part.error : part._shards.failures;
  return /support format \[binary\]|doesn't support formats/.test(JSON.stringify(refusal ?? ''));
}
