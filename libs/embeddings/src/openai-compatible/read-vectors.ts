import { AppError } from '@candor/contracts';
import { normalizeVector } from '../normalize-vector.js';

interface EmbeddingRow {
  index: number;
  embedding: number[];
}

/**
 * The vectors of one reply in the order of its request, L2-normalized. Servers may answer out of order.
 *
 * @param dimensions null = learn them: every vector must have the first one's.
 * @throws AppError EMBEDDINGS.PROFILE_MISMATCH for other dimensions; DEPENDENCY.EMBEDDINGS_UNAVAILABLE for a reply
 * that does not hold exactly one usable vector a text.
 */
export function readVectors(reply: unknown, count: number, dimensions: number | null): Float32Array[] {
  const rows = (reply as { data?: unknown } | null)?.data;
  if (!Array.isArray(rows) || rows.length !== count) {
    throw unusable(`expected ${count} embeddings, got ${Array.isArray(rows) ? rows.length : 'none'}`);
  }
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const row of rows as unknown[]) {
    if (!isEmbeddingRow(row, count)) throw unusable('an entry is not an embedding with an index');
    if (vectors[row.index]) throw unusable(`index ${row.index} occurs twice`);
    const vector = Float32Array.from(row.embedding);
    const expected = dimensions ?? (rows as EmbeddingRow[])[0]!.embedding.length;
    if (vector.length !== expected) {
      throw new AppError('EMBEDDINGS.PROFILE_MISMATCH', { details: { expected, actual: vector.length } });
    }
    if (!normalizeVector(vector)) throw unusable(`the vector at index ${row.index} has no direction`);
    vectors[row.index] = vector;
  }
  return vectors as Float32Array[];
}

function isEmbeddingRow(row: unknown, count: number): row is EmbeddingRow {
  const { index, embedding } = (row ?? {}) as Partial<EmbeddingRow>;
  const isIndex = index !== undefined && Number.isInteger(index) && index >= 0 && index < count;
  return isIndex && Array.isArray(embedding) && embedding.length > 0;
}

function unusable(reason: string): AppError {
  return new AppError('DEPENDENCY.EMBEDDINGS_UNAVAILABLE', {
    message: 'The embedding model gave an unusable answer.',
    details: { reason },
  });
}
