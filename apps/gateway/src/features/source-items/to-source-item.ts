import { freshnessOf, type CallerScope, type ChunkId, type ItemId, type SourceItem } from '@candor/contracts';
import { cutAccessPolicy, type ItemVersionEntity, type SourceItemDetails } from '@candor/persistence';

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

/** The item as the caller may read it. */
export function toSourceItem(
  { item, versions, chunkIds }: SourceItemDetails,
  scope: CallerScope,
  now: Date,
): SourceItem {
  const newest = versions.at(-1);
  return {
    sourceItemId: item.id as ItemId,
    externalId: item.externalId,
    provider: item.provider,
    sourceKind: item.sourceKind,
    connectorId: item.connectorId,
    title: item.title,
    url: item.url,
    authorName: item.authorName,
    sourceCreatedAt: iso(item.sourceCreatedAt),
    sourceUpdatedAt: iso(item.sourceUpdatedAt),
    freshness: freshnessOf(item.syncedAt, now),
    validity: { validFrom: iso(item.validFrom), validUntil: iso(item.validUntil) },
    tags: item.tags,
    accessPolicy: cutAccessPolicy(item.accessPolicy, scope.principals),
    metadata: item.metadata as SourceItem['metadata'],
    status: newest?.state ?? 'accepted',
    error: errorOf(newest),
    version: item.liveVersion,
    versions: versions.map((version) => ({
      version: version.version,
      contentHash: version.contentHash,
      status: version.state,
      recordedAt: version.recordedAt.toISOString(),
      supersededAt: iso(version.supersededAt),
    })),
    chunkIds: chunkIds as ChunkId[],
  };
}

function errorOf(version: ItemVersionEntity | undefined): SourceItem['error'] {
  if (!version?.errorType) return null;
  return { type: version.errorType, message: version.errorMessage ?? '' };
}
