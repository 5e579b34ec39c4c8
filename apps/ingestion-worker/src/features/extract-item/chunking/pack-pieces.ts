import type { ChunkLimits } from './chunk-limits.js';
import { MAX_GAP, type Piece } from './split-units.js';

const CHARACTERS_PER_TOKEN_OF_A_GAP = 4;
/** A remainder below this share of the minimum joins the chunk before it where it fits. */
const REMAINDER_SHARE = 0.3;

/**
 * Fills chunks with neighbouring pieces, in order: up to the target, or beyond it where the chunk would else stay
 * below the minimum. The first `leading` pieces are headings and don't stand alone.
 */
export function packPieces(pieces: readonly Piece[], leading: number, limits: ChunkLimits): Piece[] {
  const chunks: Piece[] = [];
  let current: Piece | null = null;
  for (const [index, piece] of pieces.entries()) {
    const joined: Piece | null = current && join(current, piece);
    const wanted =
      current && (current.tokens < limits.minTokens || index <= leading) ? limits.maxTokens : limits.targetTokens;
    if (joined && joined.tokens <= wanted) {
      current = joined;
    } else {
      if (current) chunks.push(current);
      current = piece;
    }
  }
  if (!current) return chunks;
  const last = chunks.at(-1);
  const joined = last && current.tokens < limits.minTokens * REMAINDER_SHARE ? join(last, current) : null;
  if (joined && joined.tokens <= limits.maxTokens) chunks[chunks.length - 1] = joined;
  else chunks.push(current);
  return chunks;
}

function join(left: Piece, right: Piece): Piece | null {
  const gap = right.start - left.end;
  if (gap > MAX_GAP) return null;
  const tokens = left.tokens + Math.ceil(gap / CHARACTERS_PER_TOKEN_OF_A_GAP) + right.tokens;
  return { start: left.start, end: right.end, tokens };
}
