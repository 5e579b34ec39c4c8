import type { SearchBody } from '@candor/contracts';
import { compareSimilarity } from './fuse-candidates.js';
import type { PageEntry } from './select-page.js';

/**
 * Fusion has decided what is in the page; here is only its order.
 * @param entries in the order of the fusion.
 */
export function orderHits(entries: readonly PageEntry[], ranking: SearchBody['ranking']): PageEntry[] {
  return ranking === 'fused' ? [...entries] : entries.toSorted(compareSimilarity);
}
