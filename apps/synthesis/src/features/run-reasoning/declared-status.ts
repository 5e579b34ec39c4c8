import type { DeclaredStatus } from '@candor/reasoning';

const STATUSES: Record<DeclaredStatus, readonly string[]> = {
  draft: ['draft', 'wip', 'in progress', 'work in progress'],
  proposed: ['proposed', 'proposal', 'in review', 'under review', 'rfc'],
  approved: ['approved', 'accepted', 'decided', 'ratified', 'final'],
  active: ['active', 'current', 'in force', 'in effect', 'live', 'published'],
  deprecated: ['deprecated', 'obsolete', 'outdated'],
  superseded: ['superseded', 'replaced'],
  withdrawn: ['withdrawn', 'cancelled', 'canceled', 'revoked'],
  rejected: ['rejected', 'declined'],
  archived: ['archived', 'archive'],
};
const BY_WORD = new Map(
  Object.entries(STATUSES).flatMap(([status, words]) =>
    words.map((word): [string, DeclaredStatus] => [word, status as DeclaredStatus]),
  ),
);

/** What a source calls a document's standing, in the engine's words; null for words that say none of them. */
export function toDeclaredStatus(word: string | null): DeclaredStatus | null {
  return word === null ? null : (BY_WORD.get(word.replace(/[_-]+/g, ' ')) ?? null);
}
