import { createHash } from 'node:crypto';
import { randomSource } from './synthetic-chunks.mjs';

/** Of a text's own length: the passages of the sets are about as long. */
const SENTENCES_A_PARAGRAPH = 5;
/** Some ten chunks. */
const PARAGRAPHS_A_DOCUMENT = 16;
/** Shares of a vector's squared length: two passages of the sets, and what is nobody else's. */
const PARTS = { nearest: 0.55, other: 0.25, own: 0.2 };

const sentencesOf = (text) => text.match(/[^.!?]+[.!?]+/g)?.map((sentence) => sentence.trim()) ?? [text];

/**
 * Documents around a corpus, so that its index gets as large as a company's: sentences of that corpus in a new order, with
 * its words as often as there. Nobody measures what is found among them, only how long it takes. Seeded.
 *
 * @param count documents.
 */
export function backgroundDocuments(documents, count, paragraphs = PARAGRAPHS_A_DOCUMENT) {
  const sentences = documents.flatMap(({ text }) => sentencesOf(text));
  const { uniform } = randomSource(23);
  const anySentence = () => sentences[Math.floor(uniform() * sentences.length)];
  const paragraph = () => Array.from({ length: SENTENCES_A_PARAGRAPH }, anySentence).join(' ');
  return Array.from({ length: count }, (_, position) => ({
    id: `background:${position}`,
    title: anySentence().split(' ').slice(0, 6).join(' '),
    text: Array.from({ length: paragraphs }, paragraph).join('\n\n'),
  }));
}

/**
 * Vectors for such texts without a model, which would take hours: between two of the corpus' own, drawn by the text's
 * hash. `embedder` knows the vectors of `passages`.
 */
export async function backgroundEmbedder(embedder, passages) {
  const known = await embedder.embedPassages(passages);
  const vectorOf = (text) => {
    const { uniform, normal } = randomSource(createHash('sha256').update(text).digest().readUInt32LE());
    const anyKnown = () => known[Math.floor(uniform() * known.length)];
    const [nearest, other] = [anyKnown(), anyKnown()];
    const own = Float32Array.from(nearest, normal);
    const vector = nearest.map(
      (value, index) =>
        Math.sqrt(PARTS.nearest) * value +
        Math.sqrt(PARTS.other) * other[index] +
        Math.sqrt(PARTS.own / own.length) * own[index],
    );
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  return {
    profile: embedder.profile,
    countTokens: (text) => embedder.countTokens(text),
    embedPassages: async (texts) => texts.map(vectorOf),
    embedQuery: async (text) => vectorOf(text),
    close: async () => undefined,
  };
}
