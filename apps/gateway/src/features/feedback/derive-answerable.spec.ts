import { describe, expect, it } from '@jest/globals';
import type { AskedRequest } from '@candor/persistence';
import { deriveAnswerable } from './derive-answerable.js';

const reason = (citedChunkIds: string[], fields: Partial<AskedRequest> = {}): AskedRequest => ({
  action: 'reason.answer',
  outcome: 'succeeded',
  metadata: { citedChunkIds },
  ...fields,
});
const reasoning = (metadata: Record<string, unknown>): AskedRequest => ({
  action: 'reasoning.query',
  outcome: 'succeeded',
  metadata,
});

describe('deriveAnswerable', () => {
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
    ['an outage', reasoning({ refusalReason: 'provider_failure' }), 'negative', null],
  ])('of %s', (_, asked, rating, answerable) => {
    expect(deriveAnswerable(asked, rating)).toBe(answerable);
  });
});
