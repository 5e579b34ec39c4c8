import { describe, expect, it } from '@jest/globals';
import type { LibraryHead, Membership } from '@candor/persistence/views';
import type { LibraryMatch } from './library-finder.js';
import { rankCollections } from './rank-collections.js';

const match = (id: string, score: number): LibraryMatch => ({ id, title: id, description: null, score });
const heads = new Map<string, LibraryHead>(
  ['a', 'b', 'c'].map((id) => [id, { id, title: id.toUpperCase(), description: null }]),
);
const member = (collectionId: string, itemId: string, itemType: Membership['itemType'] = 'document'): Membership => ({
  collectionId,
  itemId,
  itemType,
});
const rank = (
  own: LibraryMatch[],
  documents: LibraryMatch[],
  prompts: LibraryMatch[],
  memberships: Membership[],
  limit = 10,
) =>
  rankCollections(
    own,
    [
      { itemType: 'document', matches: documents },
      { itemType: 'prompt', matches: prompts },
    ],
    memberships,
    heads,
    limit,
  ).map(({ name, matchedItems, score }) => [name, matchedItems, score]);

describe('the order of collections', () => {
  it('goes by their own score', () => {
    expect(rank([match('a', 0.7), match('b', 0.8)], [], [], [])).toEqual([
      ['B', 0, 0.8],
      ['A', 0, 0.7],
    ]);
  });

  it('finds collections by what they hold, and counts it', () => {
    const memberships = [member('a', 'x'), member('a', 'y'), member('b', 'y'), member('b', 'p', 'prompt')];
    expect(rank([match('c', 0.7)], [match('x', 0.9), match('y', 0.6)], [match('p', 0.6)], memberships)).toEqual([
      ['A', 2, 0.9],
      ['C', 0, 0.7],
      ['B', 2, 0.6],
    ]);
  });

  it('raises a score and never lowers one', () => {
    expect(rank([match('a', 0.7)], [match('x', 0.6)], [], [member('a', 'x')])).toEqual([['A', 1, 0.7]]);
  });

  it('takes a prompt for no document with the same id', () => {
    expect(rank([], [match('x', 0.9)], [], [member('a', 'x', 'prompt')])).toEqual([]);
  });

  it('shows no collection without a head', () => {
    expect(rank([match('z', 0.9)], [match('x', 0.9)], [], [member('y', 'x'), member('y', 'x')])).toEqual([]);
  });

  it('prefers more matched items, then the name, and ends at the limit', () => {
    const own = [match('c', 0.7), match('b', 0.7), match('a', 0.7)];
    expect(rank(own, [match('x', 0.6)], [], [member('c', 'x')], 2)).toEqual([
      ['C', 1, 0.7],
      ['A', 0, 0.7],
    ]);
  });
});
