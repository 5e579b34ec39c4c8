import { describe, expect, it } from '@jest/globals';
import type { StoredEmbedding } from '@candor/embeddings';
import { buildRecipe, chunkingOf, fingerprintOf, nameGeneration } from './recipe.js';

const embedding: StoredEmbedding = {
  provider: 'onnx',
  model: 'bge-small-en-v1.5-q',
  revision: 'r',
  dimensions: 384,
  maxTokens: 512,
};
const recipe = buildRecipe(embedding, 1);

describe('a recipe', () => {
  it('has a fingerprint that every part decides', () => {
    const changed = [
      recipe,
      { ...recipe, extractorVersion: 'x' },
      { ...recipe, chunkerVersion: 'x' },
      { ...recipe, indexMappingVersion: -1 },
      { ...recipe, embedding: { ...embedding, model: 'm' } },
      { ...recipe, embedding: { ...embedding, revision: 's' } },
      { ...recipe, embedding: { ...embedding, dimensions: 8 } },
      { ...recipe, embedding: { ...embedding, maxTokens: 256 } },
    ];
    expect(new Set(changed.map(fingerprintOf)).size).toBe(changed.length);
    expect(fingerprintOf(structuredClone(recipe))).toBe(fingerprintOf(recipe));
  });

  it('shares its chunks with what cuts alike, and with nothing else', () => {
    const alike = [
      recipe,
      { ...recipe, indexMappingVersion: -1 },
      { ...recipe, embedding: { ...embedding, revision: 's' } },
    ];
    expect(new Set(alike.map(chunkingOf)).size).toBe(1);
    const others = [
      { ...recipe, chunkerVersion: 'x' },
      { ...recipe, embedding: { ...embedding, model: 'm' } },
      { ...recipe, embedding: { ...embedding, maxTokens: 256 } },
    ];
    expect(new Set([recipe, ...others].map(chunkingOf)).size).toBe(others.length + 1);
  });

  it.each([
    ['bge-small-en-v1.5-q', 'chunks-bge-small-en-v1-5-q-1-7'],
    ['Qwen/Qwen3-Embedding:0.6B', 'chunks-qwen-qwen3-embedding-0-6b-1-7'],
    ['____', 'chunks-model-1-7'],
    ['m'.repeat(300), `chunks-${'m'.repeat(32)}-1-7`],
  ])('names an index for %s', (model, name) => {
    const named = nameGeneration({ ...recipe, indexMappingVersion: 1, embedding: { ...embedding, model } }, 7);
    expect(named).toBe(name);
    expect(named).toMatch(/^[a-z0-9][a-z0-9-]{0,63}$/);
  });
});
