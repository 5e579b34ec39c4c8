import { v5 as uuidv5 } from 'uuid';
import { RECORDED_AT, TENANT } from './build-chunks.mjs';

const NAMESPACE = '0e7f3f5c-6f0b-5b1e-8a55-6f3f9f2d7c10';
export const CHUNKS_PER_ITEM = 4;
/** Chunks around one subject, on average. */
const SUBJECT_SIZE = 200;
/** Subjects in one field. */
const FIELD_SIZE = 20;
/** Shares of a vector's squared length: what all texts have in common, its field, its subject, another one, and itself. */
const PARTS = { common: 0.45, field: 0.15, subject: 0.15, other: 0.07, own: 0.18 };
/** Subjects that touch nowhere. */
const DISJOINT_PARTS = { common: 0.45, field: 0.2, subject: 0.15, other: 0, own: 0.2 };

/** Seeded, so that every run has the same vectors (mulberry32, Box–Muller). */
export function randomSource(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

/**
 * Vectors as an embedding model's: any two texts are somewhat alike (cosine about 0.45), those of a field more (0.6), those
 * of a subject most (0.75), and each touches a second subject; the rest points anywhere. Within a subject all are equally far from
 * each other, which is harder for a graph than real texts are.
 *
 * @param options.disjoint no text touches a second subject: harder still
 * @returns `{ vectors: Float32Array[], subjects: number[], queries: Float32Array[] }`, unit length; `subjects` of each vector
 */
export function clusteredVectors({ count, queries, dimensions, seed, disjoint = false }) {
  const shares = disjoint ? DISJOINT_PARTS : PARTS;
  const random = randomSource(seed);
  const direction = () => {
    const vector = Float32Array.from({ length: dimensions }, random.normal);
    return scale(vector, 1 / Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)));
  };
  const common = direction();
  const subjectCount = Math.max(2, Math.round(count / SUBJECT_SIZE));
  const fields = Array.from({ length: Math.ceil(subjectCount / FIELD_SIZE) }, direction);
  const centres = Array.from({ length: subjectCount }, direction);
  const anySubject = () => Math.floor(random.uniform() * subjectCount);
  const vectorOf = (subject) => {
    const parts = [
      [common, shares.common],
      [fields[Math.floor(subject / FIELD_SIZE)], shares.field],
      [centres[subject], shares.subject],
      [centres[anySubject()], shares.other],
      [direction(), shares.own],
    ];
    const sum = new Float32Array(dimensions);
    for (const [part, share] of parts)
      for (let index = 0; index < dimensions; index++) sum[index] += Math.sqrt(share) * part[index];
    return scale(sum, 1 / Math.sqrt(sum.reduce((total, value) => total + value * value, 0)));
  };
  const subjects = Array.from({ length: count }, anySubject);
  return {
    subjects,
    vectors: subjects.map(vectorOf),
    queries: Array.from({ length: queries }, () => vectorOf(anySubject())),
  };
}

function scale(vector, factor) {
  for (let index = 0; index < vector.length; index++) vector[index] *= factor;
  return vector;
}

/** Chunks with these vectors, four an item; `principalsOf(position)` may see each. */
export function syntheticChunks(vectors, principalsOf) {
  return vectors.map((vector, position) => {
    const itemId = uuidv5(`item ${Math.floor(position / CHUNKS_PER_ITEM)}`, NAMESPACE);
    return {
      chunkId: uuidv5(`chunk ${position}`, NAMESPACE),
      tenantId: TENANT,
      itemId,
      version: 1,
      provider: 'notion',
      connectorId: null,
      accessMode: 'acl',
      principals: principalsOf(position),
      level: 'paragraph',
      ordinal: 1 + (position % CHUNKS_PER_ITEM),
      parentId: null,
      previousId: null,
      nextId: null,
      title: `Item ${Math.floor(position / CHUNKS_PER_ITEM)}`,
      sectionPath: [],
      content: `passage ${position}`,
      contentHash: itemId.replaceAll('-', '').padEnd(64, '0'),
      vector,
      sourceUpdatedAt: null,
      recordedAt: RECORDED_AT.toISOString(),
      validFrom: null,
      validUntil: null,
      tags: [],
    };
  });
}
