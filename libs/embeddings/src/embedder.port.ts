/** What makes vectors comparable: two profiles that differ in any field never share an index. */
export interface EmbeddingProfile {
  /** e.g. `bge-small-en-v1.5-q`. */
  model: string;
  /** Content hash or revision of the weights. */
  revision: string;
  dimensions: number;
  /** Longest input in the model's own tokens; longer text is cut. */
  maxTokens: number;
}

/** Turns text into L2-normalized vectors. Errors: DEPENDENCY.EMBEDDINGS_UNAVAILABLE, REQUEST.CANCELLED. */
export interface Embedder {
  readonly profile: EmbeddingProfile;
  /** One vector a text, in order. Prefixes that the model's card asks for are added here. */
  embedPassages(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array>;
  /** Tokens of the text in the model's own tokenizer (an estimate where there is none). */
  countTokens(text: string): number;
  close(): Promise<void>;
}

export const EMBEDDER = Symbol('Embedder');
