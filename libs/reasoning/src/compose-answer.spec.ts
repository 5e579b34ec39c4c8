import { describe, expect, it } from '@jest/globals';
import { NO_EVIDENCE_ANSWER, NO_LINKED_STATEMENT_ANSWER } from '@candor/contracts';
import { composeAnswer, composeNoEvidenceAnswer } from './compose-answer.js';

const reference = (chunkId: string) => ({
  chunkId,
  documentId: `doc-of-${chunkId}`,
  documentTitle: `Title of ${chunkId}`,
  quotation: 'q',
});

describe('composeAnswer', () => {
  it('appends server-made tokens to each statement and lists chunks once, in order of first use', () => {
    const data = composeAnswer({
      kept: [
        { text: 'REST is required.', references: [reference('b'), reference('b'), reference('a')] },
        { text: 'GraphQL is required.', references: [reference('c'), reference('a')] },
      ],
      limitations: ['No date is given.'],
      chunksGathered: 7,
      citationsDropped: 2,
    });
    expect(data).toEqual({
      answer: 'REST is required. [[b]][[a]]\n\nGraphQL is required. [[c]][[a]]',
      citations: [
        { chunkId: 'b', documentId: 'doc-of-b', documentTitle: 'Title of b' },
        { chunkId: 'a', documentId: 'doc-of-a', documentTitle: 'Title of a' },
        { chunkId: 'c', documentId: 'doc-of-c', documentTitle: 'Title of c' },
      ],
      gaps: ['No date is given.'],
      meta: { chunksGathered: 7, citationsDropped: 2 },
    });
  });

  it('adds no gap of its own to an answer', () => {
    const kept = [{ text: 'Yes.', references: [reference('a')] }];
    expect(composeAnswer({ kept, limitations: [], chunksGathered: 1, citationsDropped: 0 }).gaps).toEqual([]);
  });

  it('says that nothing could be linked, with the limitations as gaps, and never that there is no evidence', () => {
    const data = composeAnswer({
      kept: [],
      limitations: ['The price is not stated.'],
      chunksGathered: 3,
      citationsDropped: 1,
    });
    expect(data).toEqual({
      answer: NO_LINKED_STATEMENT_ANSWER,
      citations: [],
      gaps: ['The price is not stated.'],
      meta: { chunksGathered: 3, citationsDropped: 1 },
    });
    expect(data.answer).not.toBe(NO_EVIDENCE_ANSWER);
  });

  it('strips citation tokens from limitations and drops blank ones', () => {
    const data = composeAnswer({
      kept: [],
      limitations: ['See [[a]] for it.', ' '],
      chunksGathered: 1,
      citationsDropped: 0,
    });
    expect(data.gaps).toEqual(['See for it.']);
  });
});

describe('composeNoEvidenceAnswer', () => {
  it('is the fixed sentence as answer and only gap, without citations', () => {
    expect(composeNoEvidenceAnswer()).toEqual({
      answer:
        'No sufficiently relevant evidence was retrieved for this question within the requested scope and retrieval limits.',
      citations: [],
      gaps: [NO_EVIDENCE_ANSWER],
      meta: { chunksGathered: 0, citationsDropped: 0 },
    });
  });
});
