import { NOT_IN_FORCE_WORDS } from '@candor/contracts';

// Constants of ours; apostrophes are doubled all the same.
const WORDS = NOT_IN_FORCE_WORDS.map((word) => `'${word.replaceAll("'", "''")}'`).join(', ');
const SAYS_NOT_IN_FORCE = `regexp_replace(r.target, '[_-]+', ' ', 'g') IN (${WORDS})`;
const VALID = (row: string, at: string): string =>
  `(${row}.valid_from IS NULL OR ${row}.valid_from <= ${at}) AND (${row}.valid_until IS NULL OR ${row}.valid_until > ${at})`;

/**
 * For `s`, an item that declares to replace another: whether it is in force and so does. What isn't valid yet, has ended, or
 * calls itself a draft, proposed, withdrawn or rejected replaces nothing. The engine's `findReplacements` is the same rule.
 */
export const IN_FORCE_NOW = `${VALID('s', 'now()')} AND NOT EXISTS (SELECT 1 FROM item_relations r
  WHERE r.item_id = s.id AND r.version = s.live_version AND r.kind = 'status' AND r.known_until IS NULL
    AND ${SAYS_NOT_IN_FORCE})`;

/** The same at an instant, by what was declared then. @param at e.g. `$4::timestamptz` */
export function inForceAt(at: string): string {
  return `NOT EXISTS (SELECT 1 FROM item_declarations d WHERE d.item_id = s.id AND ${knownAt('d', at)}
      AND NOT (${VALID('d', at)}))
    AND NOT EXISTS (SELECT 1 FROM item_relations r JOIN item_versions w ON w.item_id = r.item_id AND w.version = r.version
      AND w.state = 'indexed' AND w.recorded_at <= ${at} AND (w.superseded_at IS NULL OR w.superseded_at > ${at})
      WHERE r.item_id = s.id AND r.kind = 'status' AND ${knownAt('r', at)} AND ${SAYS_NOT_IN_FORCE})`;
}

/** Whether a row that says from when to when it was known held at an instant. */
export function knownAt(row: string, at: string): string {
  return `${row}.known_from <= ${at} AND (${row}.known_until IS NULL OR ${row}.known_until > ${at})`;
}
