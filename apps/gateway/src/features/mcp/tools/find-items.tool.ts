import { findItemsQuerySchema, findItemsRoute, type FindItemsResponse } from '@candor/contracts';
import { z } from 'zod';
import { defineTool } from './define-tool.js';
import { bold, bullets, code, count, inline, paragraphs, section } from './markdown.js';

const { q, type } = findItemsQuerySchema.shape;

export const findItemsTool = defineTool({
  name: 'find_items',
  title: 'Find prompts, documents and collections',
  description:
    'Finds a prompt, a document or a collection by name or topic, best first. For passages inside documents use `deep_search`, for an answer `reason`.',
  route: findItemsRoute,
  // A query string has but text: here numbers, lists and yes or no are what they are.
  arguments: z.strictObject({
    query: q,
    type,
    semantic: z.boolean().default(true),
    tags: z.array(z.string().regex(/^[^,]+$/, 'must be without commas')).optional(),
    limit: z.number().int().min(1).max(50).default(10),
  }),
  argumentDescriptions: {
    query: 'A name, some words or a topic.',
    type: 'Only items of this kind.',
    semantic: '`false`: the text as it is written, in any case, with what stands around it.',
    tags: 'Only items with all of these tags.',
    limit: 'Most items of each kind, 1 to 50.',
  },
  toInput: ({ query, type: kind, semantic, tags, limit }) => ({
    query: {
      q: query,
      type: kind,
      semantic: String(semantic),
      limit: String(limit),
      ...(tags && tags.length > 0 ? { tags: tags.join(',') } : {}),
    },
  }),
  render: renderFound,
});

function renderFound({ data: { prompts, documents, collections }, meta }: FindItemsResponse): string {
  const withHighlight = (line: string, highlight: string | undefined): string =>
    highlight === undefined ? line : `${line}: ${inline(highlight)}`;
  const total = prompts.length + documents.length + collections.length;
  return paragraphs([
    `${count(total, 'item')}.`,
    ...section(
      'Documents',
      bullets(
        documents.map(({ documentId, title, score, highlight, chunkId }) =>
          withHighlight(
            `${bold(title)} (score ${score}) · documentId ${code(documentId)}${chunkId === undefined ? '' : ` · chunkId ${code(chunkId)}`}`,
            highlight,
          ),
        ),
      ),
    ),
    ...section(
      'Prompts',
      bullets(
        prompts.map(({ promptId, title, score, highlight }) =>
          withHighlight(`${bold(title)} (score ${score}) · promptId ${code(promptId)}`, highlight),
        ),
      ),
    ),
    ...section(
      'Collections',
      bullets(
        collections.map(({ collectionId, name, matchedItems, score, highlight }) =>
          withHighlight(
            `${bold(name)} (score ${score}, ${count(matchedItems, 'matching item')}) · collectionId ${code(collectionId)}`,
            highlight,
          ),
        ),
      ),
    ),
    ...section('Left out, since the key may not use them', bullets(meta.notAllowed ?? [])),
  ]);
}
