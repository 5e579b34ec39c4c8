import { expandChunkBodySchema, expandChunkRoute, type ExpandedChunk } from '@candor/contracts';
import { defineTool } from './define-tool.js';
import { bold, code, count, paragraphs, quote } from './markdown.js';

export const deepExpandTool = defineTool({
  name: 'deep_expand',
  title: 'Read around a passage',
  description:
    'What stands above, below or beside a passage in the same version of its document. Use it when a passage needs its context. ' +
    'Where there is nothing, the list is empty.',
  route: expandChunkRoute,
  arguments: expandChunkBodySchema,
  argumentDescriptions: {
    chunkId: 'The chunkId of a citation or a passage.',
    direction:
      '`up`: what contains it. `down`: what it directly contains. `next`, `previous`: its neighbours. `surrounding`: both.',
    count: 'At most so many; of `surrounding`, on each side. Default 1, for `down` 10.',
  },
  toInput: (body) => ({ body }),
  render: ({ data: { chunks } }) => paragraphs([`${count(chunks.length, 'passage')}.`, ...chunks.map(renderChunk)]),
});

function renderChunk({ chunkId, documentId, documentTitle, level, chunkIndex, content }: ExpandedChunk): string {
  return [
    `${bold(documentTitle)} (${level}, chunk ${chunkIndex + 1})`,
    `chunkId ${code(chunkId)} · documentId ${code(documentId)}`,
    quote(content),
  ].join('\n');
}
