const CHUNK = /<chunk id="([^"]*)"[^>]*>\n?([\s\S]*?)\n?<\/chunk>/g;
const MOST_SENTENCES = 60;
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * The schema of synthesis output in which a reference can only be a chunk of the evidence in the prompt with one of its
 * sentences. A small model copies badly; so its quotations are right by grammar. null when the prompt holds no chunk.
 */
export function restrictQuotations(prompt) {
  const references = [...prompt.matchAll(CHUNK)].flatMap(([, chunkId, text]) => {
    const sentences = [...segmenter.segment(text)].map(({ segment }) => segment.trim()).filter((each) => each !== '');
    return sentences.length === 0
      ? []
      : [
          {
            type: 'object',
            properties: { chunkId: { const: chunkId }, quotation: { enum: sentences.slice(0, MOST_SENTENCES) } },
          },
        ];
  });
  if (references.length === 0) return null;
  return {
    type: 'object',
    properties: {
      statements: {
        type: 'array',
        minItems: 1,
        maxItems: 1,
        items: {
          type: 'object',
          properties: {
            text: { type: 'string', maxLength: 80 },
            references: { type: 'array', minItems: 1, maxItems: 1, items: { oneOf: references } },
          },
        },
      },
      limitations: { type: 'array', maxItems: 1, items: { type: 'string', maxLength: 60 } },
    },
  };
}
