import type { estypes } from '@elastic/elasticsearch';
import { MAX_CANDIDATES } from '../chunk-filter.js';
import type { CandidateQuery } from '../search-index.port.js';
import { buildFilter } from './build-filter.js';
import { cutQuery } from './cut-query.js';
import { sourceConfig, vectorFields, type VectorFormat } from './chunk-source.js';

/**
 * A title word counts as two. On SciFact train (nDCG@10, BM25 alone): 1 → 0.699, 1.5 → 0.703, 2 → 0.702, 3 → 0.702
 * with `combined_fields` (BM25F); `multi_match` is below that in every form (best_fields at 2: 0.616).
 */
export const TITLE_BOOST = 2;

/**
 * HNSW explores at least so many neighbours. In one segment of 100,000 chunks, recall@10 without a filter and with 10 % permitted: 100 → 0.93 and
 * 0.85, 400 → 1.00 and 0.99; in many segments 100 would do (`docs/reference/recall.md`).
 */
const MIN_NUM_CANDIDATES = 400;

export interface SearchOptions {
  vectorFormat: VectorFormat;
  /** Milliseconds after which a shard gives up (and the answer is refused as partial). */
  timeoutMs: number;
}

type LegQuery = Pick<CandidateQuery, 'filter' | 'k' | 'text'>;

/**
 * Nearest vectors. The graph compares int8 vectors; rescoring makes each hit's `_score` exact, (1 + cosine) / 2, so that
 * no vector has to leave the server.
 */
export function buildDenseSearch(
  query: LegQuery,
  vector: Float32Array,
  options: SearchOptions,
): estypes.SearchSearchRequestBody {
  return {
    ...commonParts(query, options),
    knn: {
      field: 'vector',
      query_vector: Array.from(vector),
      k: query.k,
      num_candidates: Math.min(MAX_CANDIDATES, Math.max(MIN_NUM_CANDIDATES, 2 * query.k)),
      rescore_vector: { oversample: 1 },
      filter: buildFilter(query.filter),
    },
  };
}

/** BM25, under the same filter; with the vectors, since its scores say nothing about nearness. */
export function buildLexicalSearch(query: LegQuery, options: SearchOptions): estypes.SearchSearchRequestBody {
  const fields = [`title^${TITLE_BOOST}`, 'sectionPath', 'content'];
  return {
    ...commonParts(query, options),
    ...vectorFields(options.vectorFormat),
    query: {
      bool: { must: [{ combined_fields: { query: cutQuery(query.text), fields } }], filter: buildFilter(query.filter) },
    },
  };
}

function commonParts(query: LegQuery, options: SearchOptions): estypes.SearchSearchRequestBody {
  return {
    size: query.k,
    track_total_hits: false,
    timeout: `${options.timeoutMs}ms`,
    _source: sourceConfig(options.vectorFormat),
  };
}
