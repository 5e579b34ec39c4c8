import type { FoundCollection } from '@candor/contracts';
import type { LibraryHead, Membership } from '@candor/persistence/views';
import type { LibraryMatch } from './library-finder.js';

export interface MatchedItems {
  itemType: Membership['itemType'];
  matches: readonly LibraryMatch[];
}

/**
 * Collections that match themselves, and those that hold what matches. The best score of either is a collection's own;
 * of equal ones that with more matched items comes first.
 *
 * @param own best first.
 * @param heads of every collection that may be shown; one without is not.
 */
export function rankCollections(
  own: readonly LibraryMatch[],
  items: readonly MatchedItems[],
  memberships: readonly Membership[],
  heads: ReadonlyMap<string, LibraryHead>,
  limit: number,
): FoundCollection[] {
  const scores = new Map(
    items.flatMap(({ itemType, matches }) => matches.map(({ id, score }) => [`${itemType} ${id}`, score] as const)),
  );
  const found = new Map<string, FoundCollection>();
  for (const { id, score, highlight } of own)
    add(id, { matchedItems: 0, score, ...(highlight === undefined ? {} : { highlight }) });
  for (const { collectionId, itemType, itemId } of memberships) {
    const score = scores.get(`${itemType} ${itemId}`);
    if (score === undefined) continue;
    const collection = found.get(collectionId) ?? add(collectionId, { matchedItems: 0, score });
    if (!collection) continue;
    collection.matchedItems += 1;
    collection.score = Math.max(collection.score, score);
  }
  return [...found.values()].toSorted(compareCollections).slice(0, limit);

  function add(
    collectionId: string,
    match: Pick<FoundCollection, 'matchedItems' | 'score' | 'highlight'>,
  ): FoundCollection | undefined {
    const head = heads.get(collectionId);
    if (!head) return undefined;
    const collection = { collectionId, name: head.title, description: head.description, ...match };
    found.set(collectionId, collection);
    return collection;
  }
}

function compareCollections(left: FoundCollection, right: FoundCollection): number {
  return right.score - left.score || right.matchedItems - left.matchedItems || (left.name < right.name ? -1 : 1);
}
