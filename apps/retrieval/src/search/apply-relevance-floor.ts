export interface FloorOutcome<Item> {
  kept: Item[];
  below: Item[];
}

/**
 * Parts what is similar enough to be shown from what is not; the order stays.
 * @param floor cosine, from the embedding model's relevance profile; null = no floor.
 */
export function applyRelevanceFloor<Item extends { cosine: number }>(
  items: readonly Item[],
  floor: number | null,
): FloorOutcome<Item> {
  const kept: Item[] = [];
  const below: Item[] = [];
  for (const item of items) (floor !== null && item.cosine < floor ? below : kept).push(item);
  return { kept, below };
}
