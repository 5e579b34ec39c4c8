import { createHash } from 'node:crypto';
import type { StoredEmbedding } from '@candor/embeddings';
import type { GenerationRecipe } from '@candor/persistence';
import { CHUNKER_VERSION } from '../features/extract-item/chunk-document.js';
import { EXTRACTOR_VERSION } from '../features/extract-item/extract-text.js';
import { pipelineFingerprint } from '../features/extract-item/pipeline-fingerprint.js';

/**
 * What this program would build an index with, given the model.
 *
 * @param indexMappingVersion of the adapter that writes it.
 */
export function buildRecipe(embedding: StoredEmbedding, indexMappingVersion: number): GenerationRecipe {
  return {
    embedding,
    extractorVersion: EXTRACTOR_VERSION,
    chunkerVersion: CHUNKER_VERSION,
    indexMappingVersion,
  };
}

export function fingerprintOf({ embedding, ...versions }: GenerationRecipe): string {
  const { extractorVersion, chunkerVersion, indexMappingVersion } = versions;
  return pipelineFingerprint({ embedding, extractorVersion, chunkerVersion, indexMappingVersion });
}

/**
 * Names the way a generation's texts are cut. The model's tokenizer and its longest input decide where, so two models
 * have different chunks of the same text, which must not share an id.
 */
export function chunkingOf({ chunkerVersion, embedding: { provider, model, maxTokens } }: GenerationRecipe): string {
  const parts = JSON.stringify([chunkerVersion, provider, model, maxTokens]);
  return createHash('sha256').update(parts).digest('hex').slice(0, 12);
}

/** `chunks-<model>-<mapping version>-<number>`: lower-case letters, digits and dashes, 64 at most, as an index is named. */
export function nameGeneration({ embedding, indexMappingVersion }: GenerationRecipe, number: number): string {
  const model = embedding.model.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const slug = model.replaceAll(/^-+|-+$/g, '').slice(0, 32) || 'model';
  return `chunks-${slug}-${indexMappingVersion}-${number}`;
}
