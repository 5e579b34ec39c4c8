import type { PagePlan } from './select-page.js';

/** `/v1/search` and `/v1/context`: one hit an item, never below the model's floor, scoped or not. */
export function itemPagePlan(limit: number, relevanceFloor: number): PagePlan {
  return { limit, unit: 'item', floor: relevanceFloor, tailShare: null };
}
