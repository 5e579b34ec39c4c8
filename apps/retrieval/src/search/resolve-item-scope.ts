import type { RetrievalViews } from '@candor/persistence/views';

export interface ItemScopeRequest {
  sourceItemId: string | null;
  collectionId: string | null;
  /** The items have all of them; [] = whatever. */
  tags?: readonly string[];
}

/**
 * The items a request is about: null = not scoped, [] = nothing. Membership and tags count at once, since they are read here.
 * A collection that does not exist, or an item outside of it, scopes to nothing and never to more.
 */
export async function resolveItemScope(
  views: Pick<RetrievalViews, 'collectionItems' | 'taggedItems'>,
  tenantId: string,
  { sourceItemId, collectionId, tags = [] }: ItemScopeRequest,
): Promise<string[] | null> {
  const scopes = [
    sourceItemId === null ? null : [sourceItemId],
    collectionId === null ? null : ((await views.collectionItems(tenantId, collectionId)) ?? []),
    tags.length === 0 ? null : await views.taggedItems(tenantId, tags),
  ].filter((scope) => scope !== null);
  const [first, ...others] = scopes;
  if (!first) return null;
  const rest = others.map((scope) => new Set(scope));
  return first.filter((itemId) => rest.every((scope) => scope.has(itemId)));
}
