import type { RelevanceProfile } from '@candor/embeddings';
import type { PagePlan } from './select-page.js';

/** `/v1/search` and `/v1/context`: one hit an item, never below the model's floor, scoped or not. */
export function itemPagePlan(limit: number, relevance: RelevanceProfile): PagePlan {
  return { limit, unit: 'item', floor: floorOf(relevance), tailShare: null };
}

/** null for a model that nothing was measured for: any number would be a guess, and 0 drops what points away. */
export function floorOf({ calibrated, relevanceFloor }: RelevanceProfile): number | null {
  return calibrated ? relevanceFloor : null;
}
