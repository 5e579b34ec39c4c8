import type { FindPassagesRequest } from '@candor/contracts';
import type { PagePlan } from '../../search/select-page.js';

/**
 * A passage this far below the best one of an unscoped search belongs to another subject. With bge-small and MiniLM
 * related and unrelated text lie further apart than that (`docs/reference/fusion.md`).
 */
export const TAIL_SHARE = 0.6;

/**
 * The adaptive threshold of `deep_search`: the model's relevance floor, or 0.6 of the best passage's cosine where that is
 * higher. Inside a document or collection neither holds: the caller has said where to look, so whatever lies nearest
 * there is returned, and the result is empty only when the scope is.
 */
export function passagePagePlan(
  { limit, documentId, collectionId }: Pick<FindPassagesRequest, 'limit' | 'documentId' | 'collectionId'>,
  relevanceFloor: number,
): PagePlan {
  const isScoped = documentId !== undefined || collectionId !== undefined;
  return {
    limit,
    unit: 'passage',
    floor: isScoped ? null : relevanceFloor,
    tailShare: isScoped ? null : TAIL_SHARE,
  };
}
