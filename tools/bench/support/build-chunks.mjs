import { hashContent } from '@candor/persistence';
import { v5 as uuidv5 } from 'uuid';
import {
  chunkDocument,
  chunkLimitsFor,
} from '../../../apps/ingestion-worker/dist/features/extract-item/chunk-document.js';
import { extractText } from '../../../apps/ingestion-worker/dist/features/extract-item/extract-text.js';
import {
  passageText,
  toChunkDocument,
} from '../../../apps/ingestion-worker/dist/features/index-item/to-chunk-document.js';

export const TENANT = '00000000-0000-4000-8000-000000000001';
export const RECORDED_AT = new Date('2026-01-01T00:00:00.000Z');
const ITEM_NAMESPACE = 'b3b6a0de-5d0f-5c0e-9a53-2f6f3f0f6c11';
const SLICE = 256;

export const itemIdOf = (documentId) => uuidv5(documentId, ITEM_NAMESPACE);

/**
 * Documents → the pipeline's own extraction, chunks and embedded texts; no database.
 * @returns {{ document, head, version, nodes, texts }[]} `texts` are what is embedded, one an indexed node.
 */
export function prepareItems(documents, countTokens, limits) {
  return documents.map((document) => {
    const { text: body, mimeType = 'text/plain' } = document;
    const source = { title: document.title || 'Untitled', body, mimeType };
    const { text, blocks } = extractText(source);
    const itemId = itemIdOf(document.id);
    const head = {
      id: itemId,
      tenantId: TENANT,
      provider: 'notion',
      connectorId: null,
      title: source.title,
      accessMode: 'provider_scope',
      principals: [],
      sourceUpdatedAt: null,
      validFrom: null,
      validUntil: null,
      tags: [],
    };
    const version = {
      itemId,
      version: 1,
      title: source.title,
      text,
      contentHash: hashContent(source),
      recordedAt: RECORDED_AT,
    };
    const nodes = chunkDocument({ itemId, version: 1, title: source.title, text, blocks, countTokens, limits }).filter(
      (node) => node.indexed,
    );
    return { document, head, version, nodes, texts: nodes.map((node) => passageText(source.title, node, text)) };
  });
}

/** As the worker would, for its embedding model. */
export function prepareItemsFor(embedder, documents) {
  return prepareItems(documents, (text) => embedder.countTokens(text), chunkLimitsFor(embedder.profile.maxTokens));
}

/** The chunks of each item as they are indexed, in the order of the items. */
export async function embedItems(items, embedder) {
  const vectors = await embedder.embedPassages(items.flatMap(({ texts }) => texts));
  let next = 0;
  return items.map(({ head, version, nodes }) =>
    nodes.map((node) => toChunkDocument({ head, version, node, text: version.text, vector: vectors[next++] })),
  );
}

/**
 * One chunk an item, title and text as one field without the title's boost: a look at the analyzer and BM25 alone. All
 * vectors are the same.
 */
export function wholeDocuments(items, dimensions) {
  const vector = new Float32Array(dimensions);
  vector[0] = 1;
  return items.map(({ head, version }) => {
    const node = {
      chunkId: head.id,
      level: 'document',
      ordinal: 0,
      parentId: null,
      previousId: null,
      nextId: null,
      sectionPath: [],
      start: 0,
      end: version.title.length + 1 + version.text.length,
    };
    const text = `${version.title}\n${version.text}`;
    return [toChunkDocument({ head: { ...head, title: '' }, version, node, text, vector })];
  });
}

export async function writeChunks(writer, address, chunksOfItems, dimensions) {
  await writer.ensureIndex(address, dimensions);
  const operations = chunksOfItems
    .filter((chunks) => chunks.length > 0)
    .map((chunks) => ({
      kind: 'put-version',
      itemId: chunks[0].itemId,
      version: chunks[0].version,
      recordedAt: chunks[0].recordedAt,
      chunks,
    }));
  for (let start = 0; start < operations.length; start += SLICE) {
    await writer.apply(address, operations.slice(start, start + SLICE));
  }
}
