import type { Embedder, EmbeddingProfile } from '../embedder.port.js';
import { normalizeVector } from '../normalize-vector.js';
import { throwIfCancelled } from '@candor/runtime/cancellation';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const TRIGRAM_WEIGHT = 0.3;
const MAX_CHARACTERS = 16_384;

/**
 * Feature hashing of words and their character trigrams: deterministic vectors without a model, for load tests,
 * benchmarks and tests that need no meaning. NOT for production: it sees spelling only, so "car" and "automobile"
 * are strangers to it.
 *
 * Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (2009): a second hash gives the sign, so
 * that collisions cancel out on average.
 */
export class HashingEmbedder implements Embedder {
  readonly profile: EmbeddingProfile;

  constructor(options: { dimensions?: number } = {}) {
    const dimensions = options.dimensions ?? 384;
    if (!Number.isInteger(dimensions) || dimensions < 1) throw new RangeError('dimensions must be a positive integer');
    this.profile = { model: 'hashing', revision: '1', dimensions, maxTokens: 8_192 };
  }

  async embedPassages(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    throwIfCancelled(signal);
    return texts.map((text) => this.embed(text));
  }

  async embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array> {
    throwIfCancelled(signal);
    return this.embed(text);
  }

  /** Words and other visible characters. */
  countTokens(text: string): number {
    return text.match(/[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu)?.length ?? 0;
  }

  async close(): Promise<void> {}

  private embed(text: string): Float32Array {
    const vector = new Float32Array(this.profile.dimensions);
    for (const [feature, weight] of countFeatures(text.slice(0, MAX_CHARACTERS).toLowerCase())) {
      const hash = hashFeature(feature);
      const index = hash % vector.length;
      // The top bit is as good as independent of the remainder.
      vector[index] = vector[index]! + (hash >>> 31 === 0 ? 1 : -1) * Math.sqrt(weight);
    }
    if (!normalizeVector(vector)) {
      // Text without a word, or one whose features cancelled out, still needs a direction: that of its characters.
      vector.fill(0);
      vector[hashFeature(text) % vector.length] = 1;
    }
    return vector;
  }
}

function countFeatures(text: string): Map<string, number> {
  const features = new Map<string, number>();
  const add = (feature: string, weight: number): void =>
    void features.set(feature, (features.get(feature) ?? 0) + weight);
  for (const [word] of text.matchAll(WORD)) {
    add(word, 1);
    for (let start = 0; start + 3 <= word.length; start++) add(`#${word.slice(start, start + 3)}`, TRIGRAM_WEIGHT);
  }
  return features;
}

/** FNV-1a with a final avalanche, unsigned 32 bits. */
function hashFeature(feature: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < feature.length; index++) {
    hash = Math.imul(hash ^ feature.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
