import type { LibraryVector } from '@candor/persistence/views';
import { throwIfCancelled } from '@candor/runtime/cancellation';

export interface Nearest {
  id: string;
  cosine: number;
}

/**
 * The nearest of all vectors, exactly: each is compared. Nearest first, of equal ones the smaller id.
 * @param floor cosine below which nothing counts; null = everything does.
 * @throws AppError REQUEST.CANCELLED at the next page once the signal has fired.
 */
export async function findNearest(
  pages: AsyncIterable<readonly LibraryVector[]>,
  query: Float32Array,
  { floor, limit, signal }: { floor: number | null; limit: number; signal: AbortSignal },
): Promise<Nearest[]> {
  let nearest: Nearest[] = [];
  for await (const page of pages) {
    throwIfCancelled(signal);
    const near = page
      .map(({ id, vector }) => ({ id, cosine: dot(vector, query) }))
      .filter(({ cosine }) => floor === null || cosine >= floor);
    nearest = [...nearest, ...near].toSorted(compareNearest).slice(0, limit);
  }
  return nearest;
}

function compareNearest(left: Nearest, right: Nearest): number {
  return right.cosine - left.cosine || (left.id < right.id ? -1 : 1);
}

/** Both are L2-normalized. */
function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
}
