import { reasonBodySchema, reasonRoute, type ReasonData } from '@candor/contracts';
import { defineTool } from './define-tool.js';
import { bullets, code, inline, paragraphs, quote, section, withoutHeadings } from './markdown.js';

export const reasonTool = defineTool({
  name: 'reason',
  title: 'Answer with citations',
  description:
    'One cited answer across document evidence. Every quotation behind a citation occurs verbatim in its source; that proves source linkage, ' +
    'not that the statement follows from it: read the cited chunk with `deep_read` when a decision depends on it. ' +
    'Disagreements of the sources stand side by side. Without sufficient evidence it says so. Use `search` for a list of hits instead.',
  route: reasonRoute,
  // The budget of tokens is for callers of the REST API.
  arguments: reasonBodySchema.omit({ maxTokens: true }),
  argumentDescriptions: {
    query: 'The question.',
    limit: 'Most evidence chunks; clamped to 1–50.',
    documentId: 'Only evidence of this document (a sourceItemId). Omit when there is no such scope.',
    collectionId: 'Only evidence of this collection. Omit when there is no such scope.',
    includeQuotations:
      'Also each statement with the quotations that it rests on, in the words of the source, and their places.',
  },
  toInput: (body) => ({ body }),
  render: ({ data }, { answerProvider }) => renderAnswer(data, answerProvider),
  isLong: true,
});

function renderAnswer({ answer, citations, gaps, meta, statements }: ReasonData, answerProvider?: string): string {
  const sources = citations.map(
    ({ chunkId, documentId, documentTitle }) =>
      `${inline(documentTitle)} · chunkId ${code(chunkId)} · documentId ${code(documentId)}`,
  );
  return paragraphs([
    '**Answer**',
    withoutHeadings(answer),
    '**Meta**',
    [
      `chunksGathered: ${meta.chunksGathered} · citationsDropped: ${meta.citationsDropped} · latencyMs: ${meta.latencyMs}`,
      ...(answerProvider === undefined ? [] : [`answerProvider: ${answerProvider}`]),
    ].join(' · '),
    ...section('Sources', bullets(sources)),
    ...section('Quotations', paragraphs((statements ?? []).map(renderStatement))),
    ...section('Limitations', bullets(gaps.map(inline))),
  ]);
}

function renderStatement({ text, quotations }: NonNullable<ReasonData['statements']>[number]): string {
  return paragraphs([
    inline(text),
    ...quotations.map(({ chunkId, quotation, place }) => {
      if (quotation === null || place === null)
        return `chunkId ${code(chunkId)}: withheld, since this key may not see the source any more or it was deleted`;
      const where = `version ${place.version}, characters ${place.start}–${place.end}`;
      return `${quote(quotation)}\n\nchunkId ${code(chunkId)}, ${where}`;
    }),
  ]);
}
