import type { ResourceTemplate } from '@modelcontextprotocol/sdk/types.js';

const URI = /^candor:\/\/source-items\/([^/?#]+)(\/text)?$/;

export interface SourceItemUri {
  id: string;
  /** The text alone, without the metadata. */
  isText: boolean;
}

export const SOURCE_ITEM_TEMPLATES: readonly ResourceTemplate[] = [
  {
    name: 'source-item',
    title: 'Source item',
    uriTemplate: 'candor://source-items/{id}',
    description: 'A source item by its sourceItemId: its metadata with the ids of its chunks, and its text.',
  },
  {
    name: 'source-item-text',
    title: 'Text of a source item',
    uriTemplate: 'candor://source-items/{id}/text',
    description: 'The text of a source item by its sourceItemId, as it was read in its source.',
    mimeType: 'text/plain',
  },
];

export function sourceItemUri(id: string): string {
  return `candor://source-items/${id}`;
}

/** null = the URI names nothing of this server. */
export function readSourceItemUri(uri: string): SourceItemUri | null {
  const [, id, text] = URI.exec(uri) ?? [];
  return id === undefined ? null : { id, isText: text !== undefined };
}
