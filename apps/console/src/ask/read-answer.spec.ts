import type { ReasonData } from '@candor/contracts';
import { readAnswer } from './read-answer.js';

const A = 'a54d4559-3aec-55fa-9d6e-cafd1249999c';
const B = 'b9d2188a-89fb-529c-b43c-3754eb94a6dc';
const data = (answer: string, chunkIds: string[], chunksGathered = 10): ReasonData => ({
  answer,
  citations: chunkIds.map((chunkId) => ({ chunkId, documentId: 'd', documentTitle: 'Title' })),
  gaps: [],
  meta: { chunksGathered, citationsDropped: 0, latencyMs: 1 },
});

describe('readAnswer', () => {
  it('gives each statement with the numbers of its citations, without their tokens', () => {
    expect(readAnswer(data(`We keep lime. [[${A}]]\n\nNo teal. [[${B}]][[${A}]]`, [A, B]))).toEqual({
      kind: 'answered',
      statements: [
        { text: 'We keep lime.', citations: [{ number: 1, chunkId: A }] },
        {
          text: 'No teal.',
          citations: [
            { number: 2, chunkId: B },
            { number: 1, chunkId: A },
          ],
        },
      ],
    });
  });

  it('keeps a statement of several paragraphs whole', () => {
    expect(readAnswer(data(`First,\n\nsecond. [[${A}]]`, [A]))).toMatchObject({
      statements: [{ text: 'First,\n\nsecond.', citations: [{ number: 1 }] }],
    });
  });

  it('leaves out tokens of chunks that are not cited, and shows other brackets as text', () => {
    expect(readAnswer(data(`See [[notes]]. [[${B}]][[${A}]]`, [A]))).toMatchObject({
      statements: [{ text: 'See [[notes]].', citations: [{ number: 1, chunkId: A }] }],
    });
  });

  it('tells the two refusals apart by what was gathered', () => {
    expect(readAnswer(data('No sufficiently relevant evidence …', [], 0))).toEqual({
      kind: 'refused',
      reason: 'no_evidence',
    });
    expect(readAnswer(data('The retrieved evidence …', [], 4))).toEqual({ kind: 'refused', reason: 'no_statement' });
  });
});
