import { Injectable } from '@nestjs/common';
import type { Embedder } from '@candor/embeddings';
import { Coalescer } from '@candor/runtime/coalescer';

/** Enough for the model's own batches to be full; a longer one would only make the others wait. */
const MAX_TEXTS = 32;

interface Slice {
  tenantId: string;
  texts: readonly string[];
}

/**
 * Embeds the passages of all items that are being indexed together: models are fastest with full batches. Tenants take
 * turns, and a long item asks for one slice after the other, so that it keeps nobody waiting for the whole of it.
 */
@Injectable()
export class PassageEmbeddingService {
  private readonly coalescers = new WeakMap<Embedder, Coalescer<Slice, Float32Array[]>>();

  /** One vector a text. */
  async embed(
    embedder: Embedder,
    tenantId: string,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    const coalescer = this.coalescerOf(embedder);
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += MAX_TEXTS) {
      signal.throwIfAborted();
      const slice = { tenantId, texts: texts.slice(start, start + MAX_TEXTS) };
      try {
        vectors.push(...(await coalescer.call(slice, signal)));
      } catch (error) {
        // Why the job is over is for its own signal to say.
        signal.throwIfAborted();
        throw error;
      }
    }
    return vectors;
  }

  private coalescerOf(embedder: Embedder): Coalescer<Slice, Float32Array[]> {
    let coalescer = this.coalescers.get(embedder);
    if (!coalescer) this.coalescers.set(embedder, (coalescer = coalesce(embedder)));
    return coalescer;
  }
}

function coalesce(embedder: Embedder): Coalescer<Slice, Float32Array[]> {
  return new Coalescer({
    maxInputs: MAX_TEXTS,
    count: ({ texts }) => texts.length,
    groupOf: ({ tenantId }) => tenantId,
    run: async (slices, signal) => {
      const texts = slices.flatMap((slice) => slice.texts);
      const vectors = await embedder.embedPassages(texts, signal);
      let next = 0;
      return slices.map(({ texts }) => {
        const own = vectors.slice(next, (next += texts.length));
        if (own.length < texts.length) throw new Error('the embedder returned fewer vectors than texts');
        return own;
      });
    },
  });
}
