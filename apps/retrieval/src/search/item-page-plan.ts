import type { SearchBody } from '@candor/contracts';
import type { RelevanceProfile } from '@candor/embeddings';
import type { RelevanceRule } from '@candor/reasoning/relevance';
import type { PagePlan } from './select-page.js';

/**
 * `/v1/search` and `/v1/context`: one hit an item, none below the model's floor, scoped or not; and none at all when
 * nothing is relevant, unless the caller has said where to look.
 */
export function itemPagePlan(
  { limit, sourceItemId, collectionId }: Pick<SearchBody, 'limit' | 'sourceItemId' | 'collectionId'>,
  relevance: RelevanceProfile,
): PagePlan {
  const isScoped = sourceItemId !== undefined || collectionId !== undefined;
  return {
    limit,
    unit: 'item',
    floor: floorOf(relevance),
    tailShare: null,
    rule: ruleOf(relevance),
    emptyUnlessRelevant: !isScoped,
  };
}

/** null for a model that nothing was measured for: any number would be a guess, and 0 drops what points away. */
export function floorOf({ calibrated, relevanceFloor }: RelevanceProfile): number | null {
  return calibrated ? relevanceFloor : null;
}

/** null for a model that nothing was measured for. */
export function ruleOf(relevance: RelevanceProfile): RelevanceRule | null {
  return relevance.calibrated ? relevance : null;
}
