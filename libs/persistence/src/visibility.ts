/** Who asks: `providers` and `principals` decide which items count and show. */
export interface Visibility {
  tenantId: string;
  /** null = every provider. */
  providers: string[] | null;
  /** null = a service key. */
  principals: string[] | null;
}

/** Sees everything of the tenant. */
export function serviceViewer(tenantId: string): Visibility {
  return { tenantId, providers: null, principals: null };
}

/**
 * The rule of `maySeeItem` (docs/reference/filters.md) for joins on `source_items i`, deleted items included.
 * Its parameters are the first three of the statement: `visibilityParameters`.
 */
export const PERMITTED_ITEM = `i.tenant_id = $1
  AND ($2::text[] IS NULL OR i.provider = ANY($2))
  AND ($3::text[] IS NULL OR i.access_mode = 'provider_scope'
    OR (i.access_mode = 'acl' AND i.principals && ($3::text[] || ARRAY['anyone'])))`;

export const VISIBLE_ITEM = `${PERMITTED_ITEM} AND i.deleted_at IS NULL`;

export function visibilityParameters(viewer: Visibility): unknown[] {
  return [viewer.tenantId, viewer.providers, viewer.principals];
}
