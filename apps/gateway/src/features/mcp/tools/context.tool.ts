import { contextBodySchema, contextRoute, type ContextContract } from '@candor/contracts';
import { defineTool } from './define-tool.js';
import { bullets, code, paragraphs, section } from './markdown.js';
import { renderHits } from './render-hits.js';
import { SEARCH_ARGUMENT_DESCRIPTIONS } from './search-arguments.js';

export const contextTool = defineTool({
  name: 'context',
  title: 'Retrieve with a Context Contract',
  description:
    'The retrieval of `search` in an honest envelope: hits with freshness and access policy, numbered citations, what was excluded and why, ' +
    'and limitations. Use it when the answer depends on knowing what you did not get.',
  route: contextRoute,
  arguments: contextBodySchema,
  argumentDescriptions: {
    ...SEARCH_ARGUMENT_DESCRIPTIONS,
    contractVersion: '`1.1` adds chunk ids, versions, ranking and further kinds of exclusions.',
  },
  toInput: (body) => ({ body }),
  render: renderContract,
});

function renderContract({ contract, hits, exclusions, limitations }: ContextContract): string {
  return paragraphs([
    renderHits(hits),
    ...section('Left out', bullets(exclusions.map(renderExclusion))),
    ...section('Limitations', bullets(limitations.map(({ code: type, message }) => `${type}: ${message}`))),
    ...section(
      'Contract',
      `version ${contract.version} · requestId ${code(contract.requestId)} · ${contract.issuedAt}`,
    ),
  ]);
}

function renderExclusion(exclusion: ContextContract['exclusions'][number]): string {
  const amount = 'count' in exclusion && exclusion.count !== null ? ` (${exclusion.count})` : '';
  return `${exclusion.type}, ${exclusion.provider ?? 'all providers'}${amount}: ${exclusion.reason}`;
}
