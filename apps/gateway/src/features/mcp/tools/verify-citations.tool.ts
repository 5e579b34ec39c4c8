import { verifyCitationsBodySchema, verifyCitationsRoute, type CitationCheck } from '@candor/contracts';
import { defineTool } from './define-tool.js';
import { code, paragraphs, quote } from './markdown.js';

export const verifyCitationsTool = defineTool({
  name: 'verify_citations',
  title: 'Check quotations against their sources',
  description:
    'Says of each quotation whether it occurs in the chunk it is cited from: verified, repaired (typography aside; the exact words are returned) ' +
    'or rejected with the reason. That a quotation occurs proves source linkage, not that a statement follows from it.',
  route: verifyCitationsRoute,
  arguments: verifyCitationsBodySchema,
  argumentDescriptions: {
    citations: '1 to 100 of `{chunkId, quotation, contentHash?}`; without `contentHash` the current version is meant.',
  },
  toInput: (body) => ({ body }),
  render: ({ data: { results } }) => paragraphs(results.map(renderCheck)),
});

function renderCheck({ chunkId, status, reason, start, end, quotation }: CitationCheck, index: number): string {
  const place = start === undefined || end === undefined ? '' : `, characters ${start}–${end}`;
  const because = reason === undefined ? '' : ` (${reason})`;
  return [
    `${index + 1}. **${status}**${because} · chunkId ${code(chunkId)}${place}`,
    ...(quotation === undefined ? [] : [quote(quotation)]),
  ].join('\n');
}
