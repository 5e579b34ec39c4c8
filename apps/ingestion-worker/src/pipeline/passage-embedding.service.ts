import { Injectable } from '@nestjs/common';
import type { Embedder } from '@candor/embeddings';
import { Coalescer } from '@candor/runtime/coalescer';

/** Enough for the model's own batches to be full; a longer batch would only make its first item wait. */
const MAX_TEXTS = 128;

/** Embeds the passages of all items that are being indexed together: models are fastest with full batches. */
@Injectable()
export class PassageEmbeddingService {
  private readonly coalescers = new WeakMap<Embedder, Coalescer<readonly string[], Float32Array[]>>();

  /** One vector a text. */
  embed(embedder: Embedder, texts: readonly string[]): Promise<Float32Array[]> {
    let coalescer = this.coalescers.get(embedder);
    if (!coalescer) this.coalescers.set(embedder, (coalescer = coalescerOf(embedder)));
    return coalescer.call(texts);
  }
}

function coalescerOf(embedder: Embedder): Coalescer<readonly string[], Float32Array[]> {
  return new Coalescer({
    maxInputs: MAX_TEXTS,
    count: (texts) => texts.length,
    run: async (batch) => {
      const vectors = await embedder.embedPassages(batch.flat());
      let next = 0;
      return batch.map((texts) => {
        const own = vectors.slice(next, (next += texts.length));
        if (own.length < texts.length) throw new Error('the embedder returned fewer vectors than texts');
        return own;
      });
    },
  });
}
