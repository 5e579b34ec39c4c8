import { createHash } from 'node:crypto';
import type { EmbeddingProfile } from '@candor/embeddings';
import { CHUNKER_VERSION } from './chunk-document.js';
import { EXTRACTOR_VERSION } from './extract-text.js';

export interface PipelineRecipe {
  embedding: EmbeddingProfile;
  /** Analyzer and mapping of the search index. */
  indexMappingVersion: string | number;
  /** This code's own if absent. */
  extractorVersion?: string;
  chunkerVersion?: string;
}

/** SHA-256 (hex) of all that decides how a document looks in the index: equal = two generations are comparable. */
export function pipelineFingerprint(recipe: PipelineRecipe): string {
  const { model, revision, dimensions, maxTokens } = recipe.embedding;
  const parts = [
    ['extractor', recipe.extractorVersion ?? EXTRACTOR_VERSION],
    ['chunker', recipe.chunkerVersion ?? CHUNKER_VERSION],
    ['embedding', model, revision, dimensions, maxTokens],
    ['index', recipe.indexMappingVersion],
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
