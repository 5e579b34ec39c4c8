import type { RetrievalViews } from '@candor/persistence/views';

export interface ItemScopeRequest {
  sourceItemId: string | null;
  collectionId: string | null;
}

/**
 * The items a request is about: null = not scoped, [] = nothing. Membership counts at once, since it is read here.
 * A collection that does not exist, or an item outside of it, scopes to nothing and never to more.
 */
export async function resolveItemScope(
  views: Pick<RetrievalViews, 'collectionItems'>,
  tenantId: string,
  { sourceItemId, collectionId }: ItemScopeRequest,
): Promise<string[] | null> {
  if (collectionId === null) return sourceItemId === null ? null : [sourceItemId];
  const members = (await views.collectionItems(tenantId, collectionId)) ?? [];
  return sourceItemId === null ? members : members.filter((itemId) => itemId === sourceItemId);
}
