import { matchWords, readQueryTerms, type PassageText } from '@candor/reasoning/relevance';
import { MatchOnDemand } from './match-on-demand.js';

/** Counts how often its text is looked at. */
class CountedText implements PassageText {
  reads = 0;
  readonly headings = ['Handbook'];
  get content(): string {
    this.reads += 1;
    return 'Release ERR-4711 is approved by the captain.';
  }
}

describe('a match on demand', () => {
  it('says what reading at once would say, and reads once', () => {
    for (const query of ['approved releases', 'ERR-4711', 'the captain of the handbook', 'is it']) {
      const terms = readQueryTerms(query);
      const text = new CountedText();
      const { coverage, isComplete, hasIdentifier } = new MatchOnDemand(terms, text);
      expect({ coverage, isComplete, hasIdentifier }).toEqual(matchWords(terms, new CountedText()));
      expect(text.reads).toBe(1);
    }
  });

  it('reads nothing for whoever asks nothing, nor for an identifier of a query without any', () => {
    const text = new CountedText();
    const match = new MatchOnDemand(readQueryTerms('approved releases'), text);
    expect(match.hasIdentifier).toBe(false);
    expect(text.reads).toBe(0);
  });
});
