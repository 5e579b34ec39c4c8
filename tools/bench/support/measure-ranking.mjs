import { EmbedderRegistry } from '@candor/embeddings';
import { RetrievalService } from '@candor/retrieval';
import { CallerTokenSigner } from '@candor/runtime';
import { FUSION } from '../../../apps/retrieval/dist/search/fusion-settings.js';
import { itemIdOf, TENANT, wholeDocuments, writeChunks } from './build-chunks.mjs';
import { CALLER, corpusViews } from './corpus-views.mjs';
import { mean, ndcg, recall } from './rank-metrics.mjs';

export const DEPTH = 10;
/** The floor is measured elsewhere; here it would only hide ranks. */
const NO_FLOOR = { relevanceFloor: 0, cosineGuard: 0, wordWeight: 0, evidenceGuard: 0, calibrated: false };

/**
 * How good each ranking of a set is, through the retrieval that answers the API.
 *
 * @param set of `readDataSet`; `items` and `chunks` of `prepareItemsFor` and `embedItems`.
 * @param options.withMore also BM25 over whole documents, as a look at the analyzer alone; what the relevance floor leaves
 *   of the fused ranking; and how often the first hit is right.
 * @returns means of the set's metric: `{ fused, similarity, dense, lexical, document?, shown?, first? }`, the last
 *   `{ fused, similarity }`
 */
export async function measureRanking(set, items, chunks, index, embedder, { withMore = false } = {}) {
  const { writer } = index;
  const reader = rememberAnswers(index.reader);
  const generation = `bench-${set.name}-${process.pid}`;
  const address = { tenantId: TENANT, generation };
  const documents = withMore ? { tenantId: TENANT, generation: `${generation}-documents` } : null;
  const { dimensions } = embedder.profile;
  try {
    await writeChunks(writer, address, chunks, dimensions);
    if (documents) await writeChunks(writer, documents, wholeDocuments(items, dimensions), dimensions);
    const shared = {
      reader,
      views: corpusViews(items, address.generation),
      embedders: EmbedderRegistry.around(embedder),
      signer: new CallerTokenSigner('bench'.repeat(8)),
    };
    const service = new RetrievalService({ ...shared, relevance: NO_FLOOR });
    const asShown = withMore ? new RetrievalService(shared) : null;
    const metric = set.metric === 'nDCG@10' ? ndcg : recall;
    const values = {};
    const first = { fused: [], similarity: [] };
    for (const { text, relevant } of set.queries) {
      const relevantItems = new Set([...relevant].map(itemIdOf));
      const rankings = await rankQuery({ service, asShown, reader, embedder, address, documents }, text);
      for (const [kind, ranked] of Object.entries(rankings))
        (values[kind] ??= []).push(metric(ranked, relevantItems, DEPTH));
      for (const [kind, each] of Object.entries(first)) each.push(relevantItems.has(rankings[kind][0]) ? 1 : 0);
    }
    const means = Object.fromEntries(Object.entries(values).map(([kind, each]) => [kind, mean(each)]));
    return withMore ? { ...means, first: { fused: mean(first.fused), similarity: mean(first.similarity) } } : means;
  } finally {
    await writer.dropIndex(address);
    if (documents) await writer.dropIndex(documents);
  }
}

/** Asks the index once for what several rankings of a query need: only what is made of the answer differs. */
function rememberAnswers(reader) {
  let text = null;
  const answers = new Map();
  return {
    findCandidates(address, query) {
      if (query.text !== text) answers.clear();
      text = query.text;
      const key = JSON.stringify([address, query.filter, query.k]);
      if (!answers.has(key)) answers.set(key, reader.findCandidates(address, query));
      return answers.get(key);
    },
    ping: (signal) => reader.ping(signal),
  };
}

async function rankQuery({ service, asShown, reader, embedder, address, documents }, text) {
  const call = { requestId: CALLER.apiKeyId, scope: CALLER, deadline: null };
  const found = async (ranking, from = service) => {
    const { result } = await from.handle('search', { ...call, request: { query: text, limit: DEPTH, ranking } });
    return result.hits.map((hit) => hit.sourceItemId);
  };
  const query = {
    filter: { tenantId: TENANT, providers: null, principals: null, itemIds: null },
    vector: await embedder.embedQuery(text.trim()),
    text: text.trim(),
    k: FUSION.candidatesPerLeg(DEPTH),
  };
  const { candidates } = await reader.findCandidates(address, query);
  const rankings = {
    fused: await found('fused'),
    similarity: await found('similarity'),
    dense: itemsOfLeg(candidates, (candidate) => candidate.denseRank),
    lexical: itemsOfLeg(candidates, (candidate) => candidate.lexicalRank),
  };
  if (!documents) return rankings;
  const whole = await reader.findCandidates(documents, { ...query, k: DEPTH });
  const document = itemsOfLeg(whole.candidates, (candidate) => candidate.lexicalRank);
  return { ...rankings, document, shown: await found('fused', asShown) };
}

/** The items behind a leg's hits, each at its best chunk. */
function itemsOfLeg(candidates, rankOf) {
  const ranked = candidates
    .filter((candidate) => rankOf(candidate) !== null)
    .sort((left, right) => rankOf(left) - rankOf(right));
  return [...new Set(ranked.map(({ chunk }) => chunk.itemId))];
}
