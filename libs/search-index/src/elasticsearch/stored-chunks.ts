import type { Client, estypes } from '@elastic/elasticsearch';
import { missingIndex } from '../check-operations.js';
import type { IndexPlan, StoredChunk, StoredChunks } from '../plan-operations.js';
import { anyOf } from './any-of.js';
import { CHUNK_SOURCE, vectorFields, vectorOf, type ChunkSource, type IndexedSource } from './chunk-source.js';
import type { IndexNames } from './index-names.js';
import { indexUnavailable, mapStatus } from './map-elasticsearch-error.js';

const PAGE_SIZE = 1_000;
const STORED_FIELDS = ['chunkId', 'itemId', 'version', 'accessMode', 'principals'];

/** What is indexed of the items. One round trip when each place has less than a page. */
export async function loadStoredChunks(client: Client, names: IndexNames, itemIds: string[]): Promise<StoredChunks> {
  const body: estypes.SearchSearchRequestBody = {
    size: PAGE_SIZE,
    query: { bool: { filter: [anyOf('itemId', itemIds)] } },
    sort: [{ chunkId: 'asc' }],
    track_total_hits: false,
    _source: STORED_FIELDS,
  };
  const places: { index: string; chunks: StoredChunk[]; after: estypes.SortResults | null }[] = [
    { index: names.live, chunks: [], after: [] },
    { index: names.history, chunks: [], after: [] },
  ];
  for (let open = places; open.length > 0; open = places.filter((place) => place.after !== null)) {
    const { responses } = await client.msearch<StoredChunk>({
      searches: open.flatMap(({ index, after }) => [
        { index },
        after?.length ? { ...body, search_after: after } : body,
      ]),
    });
    open.forEach((place, position) => {
      const hits = completeHits(responses[position]);
      for (const { _source: source } of hits) if (source) place.chunks.push(source);
      place.after = hits.length < PAGE_SIZE ? null : (hits.at(-1)?.sort ?? null);
    });
  }
  return { live: places[0]?.chunks ?? [], history: places[1]?.chunks ?? [] };
}

/** The live chunks that move to history, as they are to be indexed there. */
export async function loadChunksToCopy(
  client: Client,
  index: string,
  supersede: IndexPlan['supersede'],
): Promise<IndexedSource[]> {
  const copies: IndexedSource[] = [];
  for (let start = 0; start < supersede.length; start += PAGE_SIZE) {
    const page = new Map(supersede.slice(start, start + PAGE_SIZE).map((each) => [each.chunkId, each]));
    const response = await client.search<ChunkSource>({
      index,
      size: PAGE_SIZE,
      query: { bool: { filter: [anyOf('chunkId', [...page.keys()])] } },
      track_total_hits: false,
      _source: CHUNK_SOURCE,
      ...vectorFields('array'),
    });
    for (const hit of completeHits({ ...response, status: 200 })) {
      const target = hit._source && page.get(hit._source.chunkId);
      if (!target || !hit._source) continue;
      const vector = Array.from(vectorOf(hit));
      copies.push({ ...hit._source, ...target.metadata, supersededAt: target.supersededAt, vector });
    }
  }
  return copies;
}

export async function* listStoredVersions(
  client: Client,
  index: string,
): AsyncGenerator<{ itemId: string; version: number; chunks: number }> {
  let after: Record<string, estypes.FieldValue> | undefined;
  do {
    const response = await client.search<
      unknown,
      {
        versions: {
          buckets: { key: { itemId: string; version: number }; doc_count: number }[];
          after_key?: typeof after;
        };
      }
    >({
      index,
      size: 0,
      track_total_hits: false,
      aggs: {
        versions: {
          composite: {
            size: PAGE_SIZE,
            sources: [{ itemId: { terms: { field: 'itemId' } } }, { version: { terms: { field: 'version' } } }],
            ...(after ? { after } : {}),
          },
        },
      },
    });
    completeHits({ ...response, status: 200 });
    const versions = response.aggregations?.versions;
    for (const { key, doc_count: chunks } of versions?.buckets ?? []) yield { ...key, chunks };
    after = versions?.after_key;
  } while (after);
}

/** A plan made on half the state would lose chunks, so an incomplete answer is an error. */
function completeHits<T>(part: estypes.MsearchResponseItem<T> | undefined): estypes.SearchHit<T>[] {
  if (!part) throw indexUnavailable(new Error('A part of the answer is missing.'));
  if ('error' in part) {
    if (part.error.type === 'index_not_found_exception') throw missingIndex();
    throw mapStatus(part.status, JSON.stringify(part.error), part.error);
  }
  if (part.timed_out || part._shards.failed > 0) throw indexUnavailable(new Error('The answer is partial.'));
  return part.hits.hits;
}
