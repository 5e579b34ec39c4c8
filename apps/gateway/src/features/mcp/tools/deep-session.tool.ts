import { z } from 'zod';
import { passageSessionRoute } from '@candor/contracts';
import { defineTool } from './define-tool.js';
import { code } from './markdown.js';

export const deepSessionTool = defineTool({
  name: 'deep_session',
  title: 'Start a search session',
  description:
    'Starts a session for `deep_search`: searches that name it never return a passage twice, so that each brings something new. ' +
    'Use it when you look for more than one page of passages on a subject.',
  route: passageSessionRoute,
  arguments: z.strictObject({}),
  argumentDescriptions: {},
  toInput: () => ({}),
  render: ({ data: { sessionId } }) => `sessionId ${code(sessionId)}`,
  isRepeatable: false,
});
