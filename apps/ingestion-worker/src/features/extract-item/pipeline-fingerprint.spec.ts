import { describe, expect, it } from '@jest/globals';
import { pipelineFingerprint, type PipelineRecipe } from './pipeline-fingerprint.js';

const recipe: PipelineRecipe = {
  embedding: { model: 'm', revision: 'r', dimensions: 384, maxTokens: 512 },
  indexMappingVersion: '1',
};

describe('pipelineFingerprint', () => {
  it('is a SHA-256 that only its parts decide', () => {
    expect(pipelineFingerprint(recipe)).toMatch(/^[0-9a-f]{64}$/);
    const { model, revision, dimensions, maxTokens } = recipe.embedding;
    const reordered = { maxTokens, dimensions, revision, model, note: 'ignored' };
    expect(pipelineFingerprint({ indexMappingVersion: '1', embedding: reordered })).toBe(pipelineFingerprint(recipe));
  });

  it('changes with every part', () => {
    const changed: PipelineRecipe[] = [
      { ...recipe, indexMappingVersion: '2' },
      { ...recipe, extractorVersion: 'other' },
      { ...recipe, chunkerVersion: 'other' },
      { ...recipe, embedding: { ...recipe.embedding, model: 'n' } },
      { ...recipe, embedding: { ...recipe.embedding, revision: 's' } },
      { ...recipe, embedding: { ...recipe.embedding, dimensions: 768 } },
      { ...recipe, embedding: { ...recipe.embedding, maxTokens: 256 } },
    ];
    expect(new Set([recipe, ...changed].map(pipelineFingerprint)).size).toBe(changed.length + 1);
  });
});
