import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Embedder, EmbeddingProfile } from './embedder.port.js';
import { cancelledError, throwIfCancelled } from '@candor/runtime/cancellation';

export interface CachedQueryEmbedderOptions {
  /** Vectors kept, the least recently used goes first. Default 5,000 (8 MB at 384 dimensions). */
  maxEntries?: number;
}

interface Underway {
  vector: Promise<Float32Array>;
  waiters: number;
  abort: AbortController;
}

/**
 * Remembers query vectors and lets equal queries under way share one computation, which is given up only when every
 * one of its callers is gone. Passages pass through. Keys are digests: the cache keeps no query's text.
 */
export class CachedQueryEmbedder implements Embedder {
  private readonly vectors: LRUCache<string, Float32Array>;
  private readonly underway = new Map<string, Underway>();

  constructor(
    private readonly inner: Embedder,
    options: CachedQueryEmbedderOptions = {},
  ) {
    this.vectors = new LRUCache({ max: options.maxEntries ?? 5_000 });
  }

  get profile(): EmbeddingProfile {
    return this.inner.profile;
  }

  async embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array> {
    throwIfCancelled(signal);
    const key = createHash('sha256').update(text, 'utf16le').digest('base64');
    // Copies, so that a caller who changes its vector doesn't change everybody's.
    const known = this.vectors.get(key);
    if (known) return known.slice();
    const shared = this.underway.get(key) ?? this.start(key, text);
    return (await this.wait(shared, signal)).slice();
  }

  embedPassages(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    return this.inner.embedPassages(texts, signal);
  }

  countTokens(text: string): number {
    return this.inner.countTokens(text);
  }

  async close(): Promise<void> {
    this.vectors.clear();
    await this.inner.close();
  }

  private start(key: string, text: string): Underway {
    const abort = new AbortController();
    const vector = this.inner.embedQuery(text, abort.signal);
    const shared: Underway = { vector, waiters: 0, abort };
    this.underway.set(key, shared);
    const forget = (): void => {
      if (this.underway.get(key) === shared) this.underway.delete(key);
    };
    abort.signal.addEventListener('abort', forget, { once: true });
    // A failure is the waiters' to see; it is only not remembered.
    vector
      .then(
        (value) => void this.vectors.set(key, value),
        () => undefined,
      )
      .finally(forget);
    return shared;
  }

  private wait(shared: Underway, signal: AbortSignal | undefined): Promise<Float32Array> {
    shared.waiters += 1;
    if (!signal) return shared.vector;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        shared.waiters -= 1;
        if (shared.waiters === 0) shared.abort.abort(signal.reason);
        reject(cancelledError(signal));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      shared.vector.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }
}
