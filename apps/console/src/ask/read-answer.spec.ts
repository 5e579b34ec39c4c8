import { readAnswer, requireStatements, type AnswerWithStatements } from './read-answer.js';

const A = 'a54d4559-3aec-55fa-9d6e-cafd1249999c';
const B = 'b9d2188a-89fb-529c-b43c-3754eb94a6dc';
const place = { version: 1, contentHash: '0', start: 3, end: 9 };
const quote = (chunkId: string, quotation: string) => ({ chunkId, quotation, place });
const data = (
  statements: AnswerWithStatements['statements'],
  chunkIds: string[],
  chunksGathered = 10,
): AnswerWithStatements => ({
  answer: 'Prose.',
  citations: chunkIds.map((chunkId) => ({ chunkId, documentId: `d-${chunkId}`, documentTitle: 'Title' })),
  gaps: [],
  meta: { chunksGathered, citationsDropped: 0, latencyMs: 1 },
  statements,
});

describe('readAnswer', () => {
  it('gives each statement with its passages, numbered as the citations are, and what is quoted of each', () => {
    const quotations = [quote(B, 'No teal.'), quote(A, 'lime'), quote(B, 'Never teal.')];
    const read = readAnswer(data([{ text: 'Lime, no teal.', quotations }], [A, B]));
    const titled = (chunkId: string) => ({ chunkId, documentId: `d-${chunkId}`, documentTitle: 'Title' });
    expect(read).toEqual({
      kind: 'answered',
      statements: [
        {
          text: 'Lime, no teal.',
          isRephrased: true,
          withheld: 0,
          citations: [
            {
              ...titled(B),
              number: 2,
              quotations: ['No teal.', 'Never teal.'].map((quotation) => ({ quotation, place })),
            },
            { ...titled(A), number: 1, quotations: [{ quotation: 'lime', place }] },
          ],
        },
      ],
    });
  });

  it.each([
    ['**We** keep\nlime.', false],
    ['We keep lime, mostly.', true],
  ])('knows whether %j says it in the words of the statement', (quotation, isRephrased) => {
    const read = readAnswer(data([{ text: 'We keep lime.', quotations: [quote(A, quotation)] }], [A]));
    expect(read).toMatchObject({ statements: [{ isRephrased }] });
  });

  it('tells the two refusals apart by what was gathered', () => {
    expect(readAnswer(data([], [], 0))).toEqual({ kind: 'refused', reason: 'no_evidence' });
    expect(readAnswer(data([], [], 4))).toEqual({ kind: 'refused', reason: 'no_statement' });
  });

  it('counts what is withheld, and keeps it out of what is quoted', () => {
    const quotations = [quote(A, 'Lime.'), { chunkId: A, quotation: null, place: null }];
    expect(readAnswer(data([{ text: 'Lime.', quotations }], [A]))).toMatchObject({
      statements: [
        { isRephrased: false, withheld: 1, citations: [{ chunkId: A, quotations: [{ quotation: 'Lime.' }] }] },
      ],
    });
  });

  it('shows no answer whose statements are missing', () => {
    const { statements: _, ...incomplete } = data([], [A]);
    expect(() => requireStatements(incomplete)).toThrow('without its statements');
    expect(requireStatements(data([], [A]))).toEqual(data([], [A]));
  });
});
