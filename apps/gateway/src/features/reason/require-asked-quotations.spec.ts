import type { SynthesizedAnswer } from '@candor/contracts';
import { requireAskedQuotations } from './require-asked-quotations.js';

const plain: SynthesizedAnswer = {
  answer: 'Prose.',
  citations: [],
  gaps: [],
  meta: { chunksGathered: 1, citationsDropped: 0, latencyMs: 1 },
};

describe('requireAskedQuotations', () => {
  it('fails where they were asked for and did not come', () => {
    expect(() => requireAskedQuotations({ includeQuotations: true }, plain)).toThrow(
      expect.objectContaining({ code: 'SYNTHESIS.QUOTATIONS_MISSING' }),
    );
  });

  it('lets an answer pass that has them, none included, or was not to have them', () => {
    const quoted = { ...plain, statements: [] };
    expect(requireAskedQuotations({ includeQuotations: true }, quoted)).toBe(quoted);
    expect(requireAskedQuotations({ includeQuotations: false }, plain)).toBe(plain);
    expect(requireAskedQuotations({}, plain)).toBe(plain);
  });
});
