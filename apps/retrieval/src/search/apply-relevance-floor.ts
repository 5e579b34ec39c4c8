import { clearsFloor, type JudgedPassage, type RelevanceRule } from '@candor/reasoning/relevance';

export interface FloorOutcome<Item> {
  kept: Item[];
  below: Item[];
}

/**
 * Parts what is relevant enough to be shown from what is not; the order stays.
 * @param threshold cosine; null = everything is kept.
 * @param rule null = the cosine alone decides: nothing was measured for the model.
 */
export function applyRelevanceFloor<Item extends JudgedPassage>(
  items: readonly Item[],
  threshold: number | null,
  rule: RelevanceRule | null,
): FloorOutcome<Item> {
  const kept: Item[] = [];
  const below: Item[] = [];
  for (const item of items) (reachesFloor(item, threshold, rule) ? kept : below).push(item);
  return { kept, below };
}

/** As `applyRelevanceFloor` judges each. */
export function reachesFloor(item: JudgedPassage, threshold: number | null, rule: RelevanceRule | null): boolean {
  if (threshold === null) return true;
  return rule === null ? item.cosine >= threshold : clearsFloor(item, threshold, rule);
}
