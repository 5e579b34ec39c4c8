import { readChunkRoute, type ChunkReading } from '@candor/contracts';
import { z } from 'zod';
import { defineTool } from './define-tool.js';
import { bold, code, inline, quote } from './markdown.js';

export const deepReadTool = defineTool({
  name: 'deep_read',
  title: 'Read a passage',
  description:
    'One passage by its chunkId: its whole text, where it stands in its document, and its exact offsets. Use it to check what a citation says.',
  route: readChunkRoute,
  arguments: z.strictObject(readChunkRoute.params?.shape ?? {}),
  argumentDescriptions: { chunkId: 'The chunkId of a citation or a passage.' },
  toInput: (params) => ({ params }),
  render: ({ data }) => renderReading(data),
});

function renderReading({ chunkId, content, level, hierarchy, metadata }: ChunkReading): string {
  const { documentId, documentTitle, sectionPath, position } = hierarchy;
  const path = sectionPath.length > 0 ? ` › ${sectionPath.map(inline).join(' › ')}` : '';
  return [
    `${bold(documentTitle)}${path}`,
    `${level} ${position.ordinal + 1} of ${position.total}, version ${position.version} · characters ${metadata.startIndex}–${metadata.endIndex}`,
    `chunkId ${code(chunkId)} · documentId ${code(documentId)}`,
    quote(content),
  ].join('\n');
}
