import { defineHistogram, observeDuration } from '@candor/runtime/metrics';
import type { Embedder, EmbeddingProfile } from './embedder.port.js';

const durations = defineHistogram({
  name: 'candor_model_duration_seconds',
  help: 'Calls of models: `query` and `passages` (one batch) of the embedding model; time in its own queue included.',
  labels: ['kind', 'outcome'],
});

/** Tells how long the model took; a query that was found in the cache never comes here. */
export class MeasuredEmbedder implements Embedder {
  constructor(private readonly inner: Embedder) {}

  get profile(): EmbeddingProfile {
    return this.inner.profile;
  }

  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array> {
    return observeDuration(durations, { kind: 'query' }, () => this.inner.embedQuery(text, signal));
  }

  embedPassages(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    return observeDuration(durations, { kind: 'passages' }, () => this.inner.embedPassages(texts, signal));
  }

  countTokens(text: string): number {
    return this.inner.countTokens(text);
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
