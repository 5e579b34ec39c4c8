import { describe, expect, it } from '@jest/globals';
import { CachedQueryEmbedder } from './cached-query-embedder.js';
import { createEmbedder } from './create-embedder.js';
import { MeasuredEmbedder } from './measured-embedder.js';
import { findRelevanceProfile } from './relevance-profile.js';

describe('createEmbedder', () => {
  it('puts the query cache before the embedder, unless told not to', async () => {
    expect(await createEmbedder({ kind: 'hashing', dimensions: 16 })).toBeInstanceOf(CachedQueryEmbedder);
    const bare = await createEmbedder({ kind: 'hashing', dimensions: 16, queryCacheEntries: 0 });
    expect(bare).toBeInstanceOf(MeasuredEmbedder);
    expect(bare.profile.dimensions).toBe(16);
  });
});

describe('findRelevanceProfile', () => {
  it('has a floor for calibrated models, at or below the guard', () => {
    for (const model of ['bge-small-en-v1.5-q', 'all-minilm-l6-v2-q']) {
      const { relevanceFloor, cosineGuard, wordWeight, evidenceGuard, calibrated } = findRelevanceProfile({ model });
      expect(calibrated).toBe(true);
      expect(relevanceFloor).toBeGreaterThan(0);
      expect(cosineGuard).toBeGreaterThanOrEqual(relevanceFloor);
      // Else words alone would decide, or never.
      expect(evidenceGuard).toBeGreaterThan(wordWeight);
      expect(evidenceGuard).toBeLessThan(cosineGuard + wordWeight);
    }
  });

  it.each(['hashing', 'text-embedding-3-small', 'constructor'])('lets everything pass for %s', (model) => {
    expect(findRelevanceProfile({ model })).toMatchObject({ relevanceFloor: 0, cosineGuard: 0, calibrated: false });
  });
});
