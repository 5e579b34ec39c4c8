import type { Embedder } from '@candor/embeddings';
import type { GenerationEntity, ItemVersionEntity, NewChunk, SourceItemEntity } from '@candor/persistence';
import type { ChunkDocument } from '@candor/search-index/write';
import { chunkDocument, chunkLimitsFor, type ChunkNode } from '../features/extract-item/chunk-document.js';
import { passageText, toChunkDocument } from '../features/index-item/to-chunk-document.js';

/** The tree of one version as a generation cuts it, and the vectors of its indexed nodes, in order. */
export interface CutVersion {
  version: ItemVersionEntity;
  nodes: ChunkNode[];
  vectors: Float32Array[];
}

/** @param embed the passages of one version → a vector each. */
export async function cutVersion(
  version: ItemVersionEntity,
  generation: Pick<GenerationEntity, 'chunking'>,
  embedder: Embedder,
  embed: (texts: readonly string[]) => Promise<Float32Array[]>,
): Promise<CutVersion> {
  const text = version.text ?? '';
  const nodes = chunkDocument({
    itemId: version.itemId,
    version: version.version,
    title: version.title,
    text,
    blocks: version.blocks ?? [],
    countTokens: (part) => embedder.countTokens(part),
    limits: chunkLimitsFor(embedder.profile.maxTokens),
    chunking: generation.chunking,
  });
  const indexed = nodes.filter((node) => node.indexed);
  const vectors = await embed(indexed.map((node) => passageText(version.title, node, text)));
  return { version, nodes, vectors };
}

/** As they are indexed; who may see them and when they hold is the head's to say. */
export function toChunkDocuments({ version, nodes, vectors }: CutVersion, head: SourceItemEntity): ChunkDocument[] {
  const text = version.text ?? '';
  return nodes
    .filter((node) => node.indexed)
    .map((node, position) => {
      const vector = vectors[position];
      if (!vector) throw new Error('the embedder returned fewer vectors than texts');
      return toChunkDocument({ head, version, node, text, vector });
    });
}

/** As the registry keeps them. */
export function toRegistryChunks({ nodes }: CutVersion, generation: Pick<GenerationEntity, 'chunking'>): NewChunk[] {
  return nodes.map(({ chunkId, ...node }) => ({ ...node, id: chunkId, chunking: generation.chunking }));
}
