import type { FindPassagesRequest } from '@candor/contracts';
import type { RelevanceProfile } from '@candor/embeddings';
import { floorOf, ruleOf } from '../../search/item-page-plan.js';
import type { PagePlan } from '../../search/select-page.js';

/** Measured (`docs/reference/fusion.md`): costs 2 % of the supporting passages, and a third of all others. */
export const TAIL_SHARE = 0.1;

/**
 * The adaptive threshold of `deep_search`: the model's relevance floor, raised by a tenth of what the best passage lies
 * above it. Inside a document or collection neither holds: the caller has said where to look, so whatever lies nearest
 * there is returned, and the result is empty only when the scope is. Nor for a model that nothing was measured for.
 * Whether anything is relevant is reported and not acted on: that is for reasoning to decide.
 */
export function passagePagePlan(
  { limit, documentId, collectionId }: Pick<FindPassagesRequest, 'limit' | 'documentId' | 'collectionId'>,
  relevance: RelevanceProfile,
): PagePlan {
  const isScoped = documentId !== undefined || collectionId !== undefined;
  const floor = isScoped ? null : floorOf(relevance);
  return {
    limit,
    unit: 'passage',
    floor,
    tailShare: floor === null ? null : TAIL_SHARE,
    rule: ruleOf(relevance),
    emptyUnlessRelevant: false,
  };
}
