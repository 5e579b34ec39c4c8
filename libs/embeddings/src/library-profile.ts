import { embeddingKeyOf, type StoredEmbedding } from './embedder-registry.js';

/** To be raised with every change of the text that is embedded for a prompt or a collection. */
const TEXT_VERSION = 1;

/** Names the model that a prompt's or collection's vector comes from: only vectors of one profile compare. */
export function libraryProfileOf(embedding: StoredEmbedding): string {
  return `${embeddingKeyOf(embedding)} text ${TEXT_VERSION}`;
}
