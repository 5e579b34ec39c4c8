import type { Candidate, FoundChunk } from './search-index.port.js';

export interface LegHit {
  chunk: FoundChunk;
  /** Exact, from the unquantized vector. */
  cosine: number;
  /** BM25, in the lexical leg. */
  score: number;
}

/** Cosine in double precision; 0 when a vector has no direction. */
export function cosineOf(left: Float32Array, right: Float32Array): number {
  let dot = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (let index = 0; index < left.length; index += 1) {
    const x = left[index] ?? 0;
    const y = right[index] ?? 0;
    dot += x * y;
    leftSquares += x * x;
    rightSquares += y * y;
  }
  const scale = Math.sqrt(leftSquares * rightSquares);
  return scale === 0 ? 0 : dot / scale;
}

/**
 * Joins the legs by chunk. Dense ranks follow the exact cosine, because an engine may have ordered by quantized
 * vectors; lexical ranks follow the engine's score. Ties go by chunk id, so the same page comes out twice.
 */
export function mergeLegs(dense: readonly Omit<LegHit, 'score'>[], lexical: readonly LegHit[]): Candidate[] {
  const candidates = new Map<string, Candidate>();
  const candidateOf = ({ chunk, cosine }: Omit<LegHit, 'score'>): Candidate => {
    const known = candidates.get(chunk.chunkId);
    if (known) return known;
    const candidate = { chunk, cosine, denseRank: null, lexicalRank: null, lexicalScore: null };
    candidates.set(chunk.chunkId, candidate);
    return candidate;
  };

  const byCosine = [...new Set(dense.map(candidateOf))].sort(
    (left, right) => right.cosine - left.cosine || compareText(left.chunk.chunkId, right.chunk.chunkId),
  );
  byCosine.forEach((candidate, index) => (candidate.denseRank = index + 1));

  const byScore = [...lexical].sort(
    (left, right) => right.score - left.score || compareText(left.chunk.chunkId, right.chunk.chunkId),
  );
  let rank = 0;
  for (const hit of byScore) {
    const candidate = candidateOf(hit);
    if (candidate.lexicalRank !== null) continue;
    rank += 1;
    candidate.lexicalRank = rank;
    candidate.lexicalScore = hit.score;
  }
  return [...candidates.values()];
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
