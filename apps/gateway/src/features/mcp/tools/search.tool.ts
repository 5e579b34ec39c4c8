import { searchBodySchema, searchRoute } from '@candor/contracts';
import { defineTool } from './define-tool.js';
import { renderHits } from './render-hits.js';
import { SEARCH_ARGUMENT_DESCRIPTIONS } from './search-arguments.js';

export const searchTool = defineTool({
  name: 'search',
  title: 'Search source items',
  description:
    'Finds source items (Slack messages, Notion pages, Drive files, mails, uploads) by meaning and words, with the passage that matches. ' +
    'The plain list of hits: use `context` instead to learn also what was left out and why, `reason` for one cited answer.',
  route: searchRoute,
  arguments: searchBodySchema,
  argumentDescriptions: SEARCH_ARGUMENT_DESCRIPTIONS,
  toInput: (body) => ({ body }),
  render: ({ hits }) => renderHits(hits),
});
