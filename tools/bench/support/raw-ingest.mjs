import { Client } from '@elastic/elasticsearch';
import { buildMapping } from '../../../libs/search-index/dist/elasticsearch/index-mapping.js';
import { toSource } from '../../../libs/search-index/dist/elasticsearch/chunk-source.js';
import { toChunkDocument } from '../../../apps/ingestion-worker/dist/features/index-item/to-chunk-document.js';

const CHUNKS_A_BULK = 500;
/** So that the server works while the next batch is embedded. */
const BULKS_UNDER_WAY = 2;

/**
 * The bare loop: embeds the chunks and sends them with `_bulk`, into an index with the same mapping; a refresh at the end.
 * Chunking, versions, states, events and certainty are left out.
 * @param vectors `array`: numbers, as clients send them; `binary`: base64, as Candor does.
 * @returns seconds.
 */
export async function ingestRaw(url, items, embedder, index, vectors = 'array') {
  const client = new Client({ node: url, requestTimeout: 60_000 });
  const waiting = items.flatMap(({ head, version, nodes, texts }) =>
    nodes.map((node, position) => ({ head, version, node, text: texts[position] })),
  );
  try {
    await client.indices.create({
      index,
      settings: { number_of_shards: 1, number_of_replicas: 0 },
      mappings: buildMapping(embedder.profile.dimensions),
    });
    const started = performance.now();
    const underWay = new Set();
    for (let start = 0; start < waiting.length; start += CHUNKS_A_BULK) {
      const batch = waiting.slice(start, start + CHUNKS_A_BULK);
      const embedded = await embedder.embedPassages(batch.map(({ text }) => text));
      const operations = batch.flatMap(({ head, version, node }, position) => {
        const chunk = toChunkDocument({ head, version, node, text: version.text, vector: embedded[position] });
        return [{ index: { _index: index, _id: chunk.chunkId } }, toSource(chunk, null, vectors)];
      });
      const sent = client.bulk({ operations }).then((response) => {
        if (response.errors) throw new Error(JSON.stringify(response.items.find((item) => item.index.error)));
      });
      underWay.add(sent);
      sent.finally(() => underWay.delete(sent)).catch(() => undefined);
      if (underWay.size >= BULKS_UNDER_WAY) await Promise.race(underWay);
    }
    await Promise.all(underWay);
    await client.indices.refresh({ index });
    return (performance.now() - started) / 1_000;
  } finally {
    await client.indices.delete({ index, ignore_unavailable: true });
    await client.close();
  }
}
