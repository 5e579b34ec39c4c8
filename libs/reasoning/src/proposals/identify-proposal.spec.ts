import { describe, expect, it } from '@jest/globals';
import { identifyProposal } from './identify-proposal.js';

describe('identifyProposal', () => {
  const left = { documentId: 'a', quotation: 'The limit is 100.' };
  const right = { documentId: 'b', quotation: 'The limit is 120.' };
  const id = identifyProposal('tenant', 'conflicting_value', [left, right]);

  it('is the same for the same finding, from whichever side', () => {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(identifyProposal('tenant', 'conflicting_value', [right, left])).toBe(id);
  });

  it.each([
    ['tenant', identifyProposal('other', 'conflicting_value', [left, right])],
    ['kind', identifyProposal('tenant', 'conflicting_date', [left, right])],
    ['document', identifyProposal('tenant', 'conflicting_value', [{ ...left, documentId: 'c' }, right])],
    ['words', identifyProposal('tenant', 'conflicting_value', [left, { ...right, quotation: 'The limit is 12.' }])],
    [
      'speaker',
      identifyProposal('tenant', 'conflicting_value', [
        { ...left, quotation: right.quotation },
        { ...right, quotation: left.quotation },
      ]),
    ],
  ])('is another one for another %s', (_what, other) => {
    expect(other).not.toBe(id);
  });
});
