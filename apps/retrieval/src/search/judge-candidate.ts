import { maySeeItem, type ItemHead, type ReadScope } from '@candor/persistence/views';

export type Verdict = 'visible' | Rejection;
export type Rejection = StaleVerdict | 'superseded' | 'not_yet_known';
type StaleVerdict = 'withheld' | 'outdated' | 'gone';

/**
 * Whether the index alone is behind, and will catch up: deleted, edited, closed. That another item replaces it is declared and
 * not indexed, and lasts.
 */
export function isStale(verdict: Verdict): verdict is StaleVerdict {
  return verdict === 'gone' || verdict === 'outdated' || verdict === 'withheld';
}

/**
 * Holds what the index found against the item's head. Access comes first, so that no other verdict – those may be
 * counted for the caller – says anything about an item the caller may not see.
 * @param head undefined = deleted, absent, or another tenant's.
 */
export function judgeCandidate(scope: ReadScope, head: ItemHead | undefined): Verdict {
  if (!head) return 'gone';
  if (!maySeeItem(scope, head)) return 'withheld';
  if (head.notYetKnown) return 'not_yet_known';
  if (!head.current) return 'outdated';
  return head.superseded ? 'superseded' : 'visible';
}
