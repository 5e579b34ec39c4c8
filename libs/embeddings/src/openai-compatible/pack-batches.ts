import { estimateTokens } from './estimate-tokens.js';

export interface BatchBounds {
  texts: number;
  tokens: number;
}

/** Consecutive texts, in order; a batch holds more tokens than the bound only when a single text does. */
export function packBatches(texts: readonly string[], bounds: BatchBounds): string[][] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let tokens = 0;
  for (const text of texts) {
    const size = estimateTokens(text);
    if (batch.length > 0 && (batch.length === bounds.texts || tokens + size > bounds.tokens)) {
      batches.push(batch);
      batch = [];
      tokens = 0;
    }
    batch.push(text);
    tokens += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
