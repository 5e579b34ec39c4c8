import type { Embedder } from '@candor/embeddings';

const DIMENSIONS = 512;
const FUNCTION_WORDS = new Set(
  'a an and are at by do does for how in is it of on or the to was what when which who with'.split(' '),
);

/** Deterministic vectors for tests: one hashed dimension a word (or Chinese character). Texts with the same words are close, and no others. */
export class BagOfWordsEmbedder implements Embedder {
  readonly profile = { model: 'bag-of-words', revision: 'test', dimensions: DIMENSIONS, maxTokens: 8192 };
  embeddedTexts: string[] = [];

  async embedPassages(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    this.embeddedTexts.push(...texts);
    return texts.map(toVector);
  }

  async embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array> {
    signal?.throwIfAborted();
    return toVector(text);
  }

  countTokens(text: string): number {
    return Math.ceil(text.length / 4);
  }

  async close(): Promise<void> {}
}

/** Fits the embedder above as the measured scales fit their models. */
export const BAG_OF_WORDS_SCALE = { unrelated: 0.1, answering: 0.6 };

function toVector(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const [word] of text.toLowerCase().matchAll(/\p{Script=Han}|[a-z0-9]+/gu)) {
    if (FUNCTION_WORDS.has(word)) continue;
    let hash = 0;
    for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % DIMENSIONS;
    vector[hash] = 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
