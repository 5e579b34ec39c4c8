import type { Provider } from '@candor/contracts';
import type { ViewQuery } from './chunk-views.js';

/** Successful syncs that a source may miss before it counts as stale. */
export const MISSED_SYNCS_UNTIL_STALE = 3;

/**
 * What keeps a provider's memory from being whole (docs/adr/0014).
 * `stale`, `failed`: connected sources; `unread`: items that the key may see.
 */
export interface SourceProblem {
  kind: 'stale' | 'failed' | 'unread';
  provider: Provider;
  /** Sources, or items. */
  count: number;
}

interface ProblemRow {
  kind: SourceProblem['kind'];
  provider: Provider;
  count: string;
}

/**
 * Sources without a schedule are synced when somebody asks for it, so they are never late. What is unread has no time of
 * its own, and is said of the present alone.
 */
const SQL = `WITH caller AS (
    SELECT k.tenant_id, CASE WHEN $2::text[] IS NULL THEN k.principals WHEN k.principals IS NULL THEN $2::text[]
      ELSE ARRAY(SELECT unnest($2::text[]) INTERSECT SELECT unnest(k.principals)) END AS principals
    FROM api_keys k WHERE k.id = $1),
  sources AS (
    SELECT s.provider, s.created_at, s.last_success_at, s.last_error_at, s.sync_every_minutes
    FROM caller JOIN source_connectors s ON s.tenant_id = caller.tenant_id AND s.state IN ('active', 'paused')),
  unread AS (
    SELECT i.id FROM caller JOIN source_items i ON i.tenant_id = caller.tenant_id AND i.is_unread
      WHERE $3::timestamptz IS NULL
    UNION SELECT v.item_id FROM caller JOIN item_versions v ON v.tenant_id = caller.tenant_id AND v.state = 'failed'
      JOIN source_items n ON n.id = v.item_id AND n.latest_version = v.version
      WHERE $3::timestamptz IS NULL OR v.recorded_at <= $3)
  SELECT 'stale' AS kind, provider, count(*) FROM sources
    WHERE coalesce(last_success_at, created_at) + make_interval(mins => $4 * sync_every_minutes)
      < coalesce($3::timestamptz, now())
    GROUP BY provider
  UNION ALL SELECT 'failed', provider, count(*) FROM sources WHERE last_error_at <= coalesce($3::timestamptz, now())
    GROUP BY provider
  UNION ALL SELECT 'unread', i.provider, count(*) FROM caller, unread JOIN source_items i ON i.id = unread.id
    WHERE i.deleted_at IS NULL AND (caller.principals IS NULL OR i.access_mode = 'provider_scope'
      OR (i.access_mode = 'acl' AND i.principals && (caller.principals || ARRAY['anyone'])))
    GROUP BY i.provider
  ORDER BY kind, provider`;

/**
 * Of all providers: the caller's scope is applied by whoever tells them.
 *
 * @param principals of the caller's token; what the key has now counts too. null = all.
 * @param knownAsOf judged at this instant, as far as it is still known. null = now.
 */
export async function listSourceProblems(
  query: ViewQuery,
  apiKeyId: string,
  principals: readonly string[] | null,
  knownAsOf: string | null,
): Promise<SourceProblem[]> {
  const rows = await query<ProblemRow>(SQL, [apiKeyId, principals, knownAsOf, MISSED_SYNCS_UNTIL_STALE]);
  return rows.map(({ kind, provider, count }) => ({ kind, provider, count: Number(count) }));
}
