import { readContradictions } from './read-contradictions.js';

const side = (chunkId: string, documentId: string, quotation: string) => ({
  chunk_id: chunkId,
  document_id: documentId,
  document_title: `Title of ${documentId}`,
  quotation,
  value: '100',
  source_date: '2026-05-19T12:15:00.000Z',
});
const entry = (left: unknown, right: unknown, settled: string | null = null, kind = 'conflicting_value') => ({
  kind,
  subject: 'The limit is',
  left: left as Record<string, string>,
  right: right as Record<string, string>,
  settled_by: settled,
  proposal_id: null,
});

describe('readContradictions', () => {
  it('gives both sides with their dates', () => {
    const contradictions = [entry(side('c1', 'd1', 'It is 100.'), side('c2', 'd2', 'It is 120.'))];
    expect(readContradictions({ contradictions })).toEqual([
      expect.objectContaining({
        subject: 'The limit is',
        settledBy: null,
        left: expect.objectContaining({ chunkId: 'c1', quotation: 'It is 100.', documentTitle: 'Title of d1' }),
        right: expect.objectContaining({ chunkId: 'c2', sourceDate: '2026-05-19T12:15:00.000Z' }),
      }),
    ]);
  });

  it('tells the same two sentences once, whichever chunk or side they arrive on', () => {
    const contradictions = [
      entry(side('c1', 'd1', 'It is 100.'), side('c2', 'd2', 'It is 120.')),
      entry(side('c9', 'd1', 'It is 100.'), side('c2', 'd2', 'It is 120.')),
      entry(side('c2', 'd2', 'It is 120.'), side('c1', 'd1', 'It is 100.')),
      entry(side('c1', 'd1', 'It is 100.'), side('c3', 'd3', 'It is 120.')),
    ];
    expect(readContradictions({ contradictions })).toHaveLength(2);
  });

  it('keeps two disagreements of the same two sentences apart by value and kind, each with a key of its own', () => {
    const [left, right] = [side('c1', 'd1', 'It is 100, or 90.'), side('c2', 'd2', 'It is 120.')];
    const contradictions = [
      entry(left, right),
      entry({ ...left, value: '90' }, right),
      entry(left, right, null, 'negation'),
      entry(left, side('c2', 'd2', 'It is 130.')),
    ];
    const keys = readContradictions({ contradictions }).map(({ key }) => key);
    expect(new Set(keys).size).toBe(4);
  });

  it('leaves out what has no two sides', () => {
    expect(readContradictions({ contradictions: [entry(null, {}), {}] })).toEqual([]);
  });
});
