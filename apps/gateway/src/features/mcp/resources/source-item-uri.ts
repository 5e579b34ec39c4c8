import type { ResourceTemplate } from '@modelcontextprotocol/sdk/types.js';

const URI = /^candor:\/\/source-items\/([^/?#]+)$/;

export const SOURCE_ITEM_TEMPLATE: ResourceTemplate = {
  name: 'source-item',
  title: 'Source item',
  uriTemplate: 'candor://source-items/{id}',
  description: 'Metadata of a source item by its sourceItemId, with the ids of its chunks.',
  mimeType: 'application/json',
};

/** null = the URI names nothing of this server. */
export function readSourceItemUri(uri: string): string | null {
  return URI.exec(uri)?.[1] ?? null;
}
