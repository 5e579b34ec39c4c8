import { describe, expect, it } from '@jest/globals';
import type { AskedRequest } from '@candor/persistence';
import { labelAnswerable } from './derive-answerable.js';

const reason = (citedChunkIds: string[], fields: Partial<AskedRequest> = {}): AskedRequest => ({
  action: 'reason.answer',
  outcome: 'succeeded',
  metadata: { citedChunkIds },
  isRestricted: false,
  ...fields,
});
const reasoning = (metadata: Record<string, unknown>): AskedRequest => ({
  action: 'reasoning.query',
  outcome: 'succeeded',
  metadata,
  isRestricted: false,
});

describe('labelAnswerable', () => {
  it.each<[string, AskedRequest, 'positive' | 'negative', boolean | null]>([
    ['a good answer', reason(['c']), 'positive', true],
    ['a bad answer', reason(['c']), 'negative', null],
    ['a good refusal', reason([]), 'positive', false],
    ['a bad refusal', reason([]), 'negative', true],
    ['a failure', reason([], { outcome: 'failed' }), 'positive', null],
    ['a search', reason([], { action: 'search.query' }), 'positive', null],
    ['a good reasoned answer', reasoning({ reasoningOutcome: 'answered', refusalReason: null }), 'positive', true],
    ['a good abstention', reasoning({ reasoningOutcome: 'abstained', refusalReason: 'corpus_gap' }), 'positive', false],
    ['an abstention for want of trust', reasoning({ refusalReason: 'uncertified_evidence' }), 'positive', null],
    ['a slot that stayed empty', reasoning({ refusalReason: 'answer_slot_gap' }), 'positive', null],
    ['evidence that was replaced', reasoning({ refusalReason: 'unsupported_evidence' }), 'positive', null],
    ['an outage', reasoning({ refusalReason: 'provider_failure' }), 'negative', null],
  ])('of %s', (_, asked, rating, answerable) => {
    expect(labelAnswerable(asked, { rating })).toBe(answerable);
  });

  it('is what the caller states, where it states something', () => {
    expect(labelAnswerable(reason(['c']), { rating: 'negative', answerable: false })).toBe(false);
    expect(labelAnswerable(reason(['c']), { rating: 'positive', answerable: false })).toBe(false);
  });

  it.each([
    ['a collection', { collectionId: 'x' }],
    ['a document', { documentId: 'x' }],
    ['an item', { sourceItemId: 'x' }],
    ['some providers', { providers: ['slack'] }],
    ['tags', { tags: ['a'] }],
    ['what a session had not shown yet', { sessionId: 'x' }],
    ['what was updated since', { updatedAfter: '2026-01-01T00:00:00Z' }],
    ['what was updated before', { updatedBefore: '2026-01-01T00:00:00Z' }],
    ['what was known then', { knownAsOf: '2026-01-01T00:00:00Z' }],
  ])('is none of a request about %s', (_what, request) => {
    const asked = reason(['c'], { metadata: { citedChunkIds: ['c'], request } });
    expect(labelAnswerable(asked, { rating: 'positive' })).toBeNull();
    expect(labelAnswerable(asked, { rating: 'positive', answerable: true })).toBeNull();
  });

  it('is none of a key that sees a part only, and one of a request about everything', () => {
    expect(labelAnswerable(reason(['c'], { isRestricted: true }), { rating: 'positive', answerable: true })).toBeNull();
    const request = { limit: 50, knownAsOf: null, generation: null, policy: 'evidence_assembly' };
    const asked = reason(['c'], { metadata: { citedChunkIds: ['c'], request } });
    expect(labelAnswerable(asked, { rating: 'positive' })).toBe(true);
  });
});
