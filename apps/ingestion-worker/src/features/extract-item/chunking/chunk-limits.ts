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

/** Of a model whose input is shorter than the default chunks with their title and headings. */
const SHORT_INPUT_LIMITS: ChunkLimits = {
  ...DEFAULT_CHUNK_LIMITS,
  targetTokens: 150,
  minTokens: 100,
  maxTokens: 200,
  sectionTokens: 220,
};

/** The limits for a model that reads `maxTokens` at a time. */
export function chunkLimitsFor(maxTokens: number): ChunkLimits {
  return maxTokens < 480 ? SHORT_INPUT_LIMITS : DEFAULT_CHUNK_LIMITS;
}
