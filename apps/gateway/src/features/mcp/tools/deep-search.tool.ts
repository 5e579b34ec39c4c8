import { passageSearchBodySchema, passageSearchRoute, type Passage } from '@candor/contracts';
import { defineTool } from './define-tool.js';
import { bold, code, count, paragraphs, quote } from './markdown.js';

export const deepSearchTool = defineTool({
  name: 'deep_search',
  title: 'Search passages',
  description:
    'Finds passages (chunks) inside documents, best first, with the ids of their parent and neighbours. ' +
    'Go on with `deep_read` for exact positions and `deep_expand` for what stands around a passage.',
  route: passageSearchRoute,
  arguments: passageSearchBodySchema,
  argumentDescriptions: {
    query: 'What to look for, in plain words. 1 to 2,000 characters.',
    limit: 'Most passages, 1 to 50.',
    sessionId: 'A sessionId of `deep_session`: what it has shown before is left out.',
    collectionId: 'Only documents of this collection.',
    documentId: 'Only this document (a sourceItemId).',
  },
  toInput: (body) => ({ body }),
  render: ({ data: { results } }) =>
    paragraphs([`${count(results.length, 'passage')}.`, ...results.map(renderPassage)]),
});

function renderPassage({ chunkId, documentId, documentTitle, level, score, content }: Passage): string {
  return [
    `${bold(documentTitle)} (${level}, score ${score})`,
    `chunkId ${code(chunkId)} · documentId ${code(documentId)}`,
    quote(content),
  ].join('\n');
}
