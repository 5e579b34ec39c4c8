import { describe, expect, it } from '@jest/globals';
import { passesRelevanceGate } from './relevance-gate.js';

describe('passesRelevanceGate', () => {
  it.each([
    { title: 'empty evidence skips', passages: [], relevant: true, scoped: false, passes: false },
    { title: 'empty evidence skips in a scope too', passages: [], relevant: true, scoped: true, passes: false },
    { title: 'weak unscoped evidence skips', passages: [1], relevant: false, scoped: false, passes: false },
    { title: 'relevant unscoped evidence goes on', passages: [1], relevant: true, scoped: false, passes: true },
    { title: 'scoped evidence goes on whatever its score', passages: [1], relevant: false, scoped: true, passes: true },
  ])('$title', ({ passages, relevant, scoped, passes }) => {
    expect(passesRelevanceGate({ passages, relevant, scoped })).toBe(passes);
  });
});
