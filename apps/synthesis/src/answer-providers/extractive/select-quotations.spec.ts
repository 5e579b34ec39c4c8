import { describe, expect, it } from '@jest/globals';
import { tokenizeWords } from '@candor/reasoning/relevance';
import { selectQuotations, type RankedSentence } from './select-quotations.js';

const sentence = (
  documentId: string,
  score: number,
  text: string,
  covered: Record<string, number> = {},
): RankedSentence => ({
  chunk: { chunkId: `chunk-of-${documentId}`, documentId, documentTitle: 'T', content: text, truncated: false },
  chunkRank: 0,
  sentence: { start: 0, end: text.length, text, isHeading: false },
  words: tokenizeWords(text),
  wordScore: 0,
  coveredWords: new Map(Object.entries(covered)),
  score,
});
const select = (...ranked: RankedSentence[]) =>
  selectQuotations(ranked, 0.6).map(({ sources }) => sources.map((source) => source.sentence.text).join(' + '));

describe('selectQuotations', () => {
  it('puts the best first and adds what is about as good, and nothing much weaker', () => {
    expect(
      select(sentence('a', 1.5, 'Cats purr.'), sentence('b', 2, 'Dogs bark.'), sentence('c', 1.3, 'Birds sing.')),
    ).toEqual(['Dogs bark.', 'Cats purr.']);
  });

  it('quotes nothing below the floor', () => {
    expect(select(sentence('a', 0.59, 'Cats purr.'))).toEqual([]);
  });

  it('adds a weaker sentence that alone covers a part of the question', () => {
    const graphql = sentence('a', 2, 'GraphQL serves clients.', { graphql: 0.4 });
    const rest = sentence('b', 0.8, 'REST serves partners.', { rest: 0.4 });
    expect(select(graphql, rest)).toEqual(['GraphQL serves clients.', 'REST serves partners.']);
    const nothingNew = sentence('b', 0.8, 'REST serves partners.', { graphql: 0.4 });
    expect(select(graphql, nothingNew)).toEqual(['GraphQL serves clients.']);
  });

  it('keeps the other side of every chosen sentence, before better sentences about something else', () => {
    expect(
      select(
        sentence('a', 2, 'We keep a log of backups.'),
        sentence('b', 1.9, 'Backups are retained for 30 days.'),
        sentence('d', 1.8, 'The vault is cold storage.'),
        sentence('c', 0.7, 'Backups are retained for 90 days.'),
      ),
    ).toEqual(['We keep a log of backups.', 'Backups are retained for 30 days.', 'Backups are retained for 90 days.']);
  });

  it('takes no sentence of the same document for the other side', () => {
    expect(
      select(
        sentence('a', 2, 'Backups are retained for 30 days.'),
        sentence('a', 0.7, 'Backups are retained for 90 days.'),
      ),
    ).toEqual(['Backups are retained for 30 days.']);
  });

  it('counts further sources of one sentence as quotations', () => {
    const same = ['a', 'b', 'c', 'd'].map((documentId) => sentence(documentId, 2, 'Dogs bark.'));
    expect(select(...same)).toEqual(['Dogs bark. + Dogs bark. + Dogs bark.']);
    expect(select(...same, sentence('e', 1.9, 'Cats purr.'))).toEqual(['Dogs bark. + Dogs bark.', 'Cats purr.']);
  });
});
