/** What a document says of its own standing. */
export const DECLARED_STATUSES = [
  'draft',
  'proposed',
  'approved',
  'active',
  'deprecated',
  'superseded',
  'withdrawn',
  'rejected',
  'archived',
] as const;
export type DeclaredStatus = (typeof DECLARED_STATUSES)[number];

/** The words that sources have for each. */
const WORDS: Record<DeclaredStatus, readonly string[]> = {
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
  DECLARED_STATUSES.flatMap((status) => WORDS[status].map((word): [string, DeclaredStatus] => [word, status])),
);

/** A source's word in lower case, with one blank for what joins its parts; null for words that say none of them. */
export function toDeclaredStatus(word: string | null): DeclaredStatus | null {
  return word === null ? null : (BY_WORD.get(word.replace(/[_-]+/g, ' ')) ?? null);
}

/** A document of this standing replaces nothing: not yet, or never. */
export const NOT_IN_FORCE: ReadonlySet<DeclaredStatus> = new Set(['draft', 'proposed', 'withdrawn', 'rejected']);

/** The words of those, for statements that compare in the database. */
export const NOT_IN_FORCE_WORDS: readonly string[] = [...NOT_IN_FORCE].flatMap((status) => WORDS[status]);
