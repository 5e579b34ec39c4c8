import { describe, expect, it } from '@jest/globals';
import { BagOfWordsEmbedder } from '../testing/bag-of-words.embedder.js';
import { EmbeddingCache } from './embedding-cache.js';

describe('EmbeddingCache', () => {
  it('embeds unknown texts only, each once, and keeps the order', async () => {
    const embedder = new BagOfWordsEmbedder();
    const cache = new EmbeddingCache(embedder, 10);
    await cache.embedPassages(['one', 'two']);
    const vectors = await cache.embedPassages(['three', 'one', 'three']);
    expect(embedder.embeddedTexts).toEqual(['one', 'two', 'three']);
    expect(vectors).toEqual(await new BagOfWordsEmbedder().embedPassages(['three', 'one', 'three']));
  });

  it('is bounded and forgets the least recently used first', async () => {
    const embedder = new BagOfWordsEmbedder();
    const cache = new EmbeddingCache(embedder, 2);
    await cache.embedPassages(['one', 'two']);
    await cache.embedPassages(['one']);
    await cache.embedPassages(['three']);
    expect(cache.size).toBe(2);
    await cache.embedPassages(['one']);
    expect(embedder.embeddedTexts).toEqual(['one', 'two', 'three']);
    await cache.embedPassages(['two']);
    expect(embedder.embeddedTexts).toEqual(['one', 'two', 'three', 'two']);
  });
});
