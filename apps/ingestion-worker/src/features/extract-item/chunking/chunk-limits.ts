/** Sizes in the embedding model's tokens. */
export interface ChunkLimits {
  /** Small neighbours are merged up to this. */
  targetTokens: number;
  /** A chunk below this takes one more neighbour even beyond the target, up to the maximum. */
  minTokens: number;
  /** No paragraph chunk is larger: with title and headings before it, it must fit the model's input. */
  maxTokens: number;
  /** A section up to this is indexed as a whole beside its paragraphs. */
  sectionTokens: number;
  /** Further headings are kept as text without a section of their own. */
  maxSections: number;
}

export const DEFAULT_CHUNK_LIMITS: ChunkLimits = {
  targetTokens: 300,
  minTokens: 200,
  maxTokens: 400,
  sectionTokens: 450,
  maxSections: 5_000,
};
