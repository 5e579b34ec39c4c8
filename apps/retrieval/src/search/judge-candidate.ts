import { maySeeItem, type ItemHead, type ReadScope } from '@candor/persistence/views';

export type Verdict = 'visible' | 'withheld' | 'superseded' | 'not_yet_known' | 'outdated' | 'gone';

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
