import { idParams, sourceItemRoute, type SourceItem } from '@candor/contracts';
import { defineTool } from './define-tool.js';
import { bold, bullets, code, count, inline, paragraphs, section } from './markdown.js';

export const getSourceItemTool = defineTool({
  name: 'get_source_item',
  title: 'Read a source item',
  description:
    'Metadata of one source item: provider, link, author, freshness, validity, access policy, versions, and the ids of its chunks for `deep_read`.',
  route: sourceItemRoute,
  arguments: idParams,
  argumentDescriptions: { id: 'The sourceItemId of a hit, which is the documentId of a citation.' },
  toInput: (params) => ({ params }),
  render: renderItem,
});

function renderItem(item: SourceItem): string {
  const { freshness, validity } = item;
  const facts = [
    `${item.sourceKind} of ${item.provider}, ${item.status}`,
    ...(item.url === null ? [] : [`link: ${inline(item.url)}`]),
    ...(item.authorName === null ? [] : [`author: ${inline(item.authorName)}`]),
    ...(item.sourceUpdatedAt === null ? [] : [`changed at its source: ${item.sourceUpdatedAt}`]),
    freshness ? `synced ${freshness.ageHours} h ago` : 'time of the last sync unknown',
    ...(validity.validFrom === null ? [] : [`valid from ${validity.validFrom}`]),
    ...(validity.validUntil === null ? [] : [`valid until ${validity.validUntil}`]),
    item.accessPolicy ? `access: ${item.accessPolicy.mode}` : 'access policy unknown',
    `${count(item.versions.length, 'version')}, ${item.version === null ? 'none searchable yet' : `searchable: ${item.version}`}`,
    ...(item.error === null ? [] : [`error: ${item.error.type}: ${item.error.message}`]),
  ];
  return paragraphs([
    `${bold(item.title)}\nsourceItemId ${code(item.sourceItemId)}`,
    bullets(facts),
    ...section('Chunks, in reading order', bullets(item.chunkIds.map(code))),
  ]);
}
