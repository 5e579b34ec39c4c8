import { computeDigest } from '@candor/reasoning';
import type { Embedder } from '@candor/embeddings';

/** Keeps the vectors of recently seen texts; the least recently used one goes first. Holds digests, not texts. */
export class EmbeddingCache {
  private readonly vectors = new Map<string, Float32Array>();

  constructor(
    private readonly embedder: Embedder,
    private readonly capacity: number,
  ) {}

  /** One vector a text, in order; only unknown texts are embedded. */
  async embedPassages(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const keys = texts.map(computeDigest);
    const found = new Map<string, Float32Array>();
    const missing = new Map<string, string>();
    for (const [index, key] of keys.entries()) {
      const vector = this.vectors.get(key);
      if (vector === undefined) missing.set(key, texts[index] ?? '');
      else found.set(key, vector);
    }
    const embedded = missing.size === 0 ? [] : await this.embedder.embedPassages([...missing.values()], signal);
    for (const [index, key] of [...missing.keys()].entries()) {
      const vector = embedded[index];
      if (vector !== undefined) found.set(key, vector);
    }
    return keys.map((key) => {
      const vector = found.get(key);
      if (vector === undefined) throw new Error('the embedder returned fewer vectors than texts');
      this.remember(key, vector);
      return vector;
    });
  }

  get size(): number {
    return this.vectors.size;
  }

  private remember(key: string, vector: Float32Array): void {
    this.vectors.delete(key);
    this.vectors.set(key, vector);
    while (this.vectors.size > this.capacity) {
      const [oldest] = this.vectors.keys();
      if (oldest === undefined) return;
      this.vectors.delete(oldest);
    }
  }
}
