/**
 * Scales the vector to unit length in place, so that a dot product is the cosine.
 *
 * @returns false when the vector has no direction (all zero, or a number that is not finite).
 */
export function normalizeVector(vector: Float32Array): boolean {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length) || length === 0) return false;
  for (let index = 0; index < vector.length; index++) vector[index] = vector[index]! / length;
  return true;
}
