import { answerWith, type ModelScript, type ShownChunk } from '@candor/testkit';

/** A model that answers with the first three passages it is shown, word for word. */
export const quoteFirst: ModelScript = answerWith((chunks: ShownChunk[]) => ({
  statements: chunks
    .slice(0, 3)
    .map(({ chunkId, content }) => ({ text: content, references: [{ chunkId, quotation: content }] })),
  limitations: [],
}));
