import type { ItemVersionEntity, SourceItemEntity } from '@candor/persistence';
import type { ChunkDocument, ChunkMetadata } from '@candor/search-index/write';
import type { ChunkNode } from '../extract-item/chunk-document.js';

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

/** What is embedded: a passage alone often doesn't say what it is about, its title and headings do. */
export function passageText(title: string, node: ChunkNode, text: string): string {
  const headings = [title, ...node.sectionPath.filter((heading) => heading !== title)];
  return `${headings.join(' › ')}\n${text.slice(node.start, node.end)}`;
}

export function toChunkMetadata(head: SourceItemEntity): ChunkMetadata {
  return {
    accessMode: head.accessMode,
    principals: head.principals,
    title: head.title,
    sourceUpdatedAt: iso(head.sourceUpdatedAt),
    validFrom: iso(head.validFrom),
    validUntil: iso(head.validUntil),
    tags: head.tags,
  };
}

export function toChunkDocument(source: {
  head: SourceItemEntity;
  version: ItemVersionEntity;
  node: ChunkNode;
  text: string;
  vector: Float32Array;
}): ChunkDocument {
  const { head, version, node, text, vector } = source;
  return {
    ...toChunkMetadata(head),
    chunkId: node.chunkId,
    tenantId: head.tenantId,
    itemId: head.id,
    version: version.version,
    provider: head.provider,
    connectorId: head.connectorId,
    level: node.level,
    ordinal: node.ordinal,
    parentId: node.parentId,
    previousId: node.previousId,
    nextId: node.nextId,
    sectionPath: node.sectionPath,
    content: text.slice(node.start, node.end),
    contentHash: version.contentHash,
    vector,
    recordedAt: version.recordedAt.toISOString(),
  };
}
