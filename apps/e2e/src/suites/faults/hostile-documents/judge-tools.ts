import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { textOf } from '../../../harness/mcp-client.js';
import { findForgedIds, listIds, type Reach } from './find-changes.js';
import type { Halls } from './open-halls.js';

const NAMES_CHUNK = new Set(['chunkId', '_id', 'parentId', 'prev', 'next']);
const NAMES_ITEM = new Set(['documentId', 'sourceItemId']);

/** What isn't as it has to be in what a reading tool gave. */
export function judgeReading(result: CallToolResult, { reach, bait }: Halls): string[] {
  const text = textOf(result);
  if (result.isError) return [text];
  const items = new Set([...reach.values()].map(({ itemId }) => itemId));
  const problems = [];
  const named = listNamed(result.structuredContent);
  if (named.some(([name, id]) => NAMES_CHUNK.has(name) && !reach.has(id))) problems.push('scope');
  if (named.some(([name, id]) => NAMES_ITEM.has(name) && !items.has(id))) problems.push('scope');
  if (findForgedIds(text, listIds(reach)).length > 0) problems.push('wrappers');
  if (JSON.stringify(result).includes(bait.secret)) problems.push('scope');
  if (!listContents(result.structuredContent).every((content) => isIndexed(content, reach))) problems.push('citations');
  return problems;
}

/** Something out of reach has to be answered as something that isn't there. */
export function judgeRefusal(result: CallToolResult): string[] {
  const { error } = (result.isError ? JSON.parse(textOf(result)) : {}) as { error?: { type: string } };
  return error?.type === 'RESOURCE.NOT_FOUND' ? [] : [`scope: ${textOf(result).slice(0, 300)}`];
}

/** Every text field with its name, however deep. */
function listNamed(value: unknown, name = ''): [string, string][] {
  if (typeof value === 'string') return [[name, value]];
  if (Array.isArray(value)) return value.flatMap((entry) => listNamed(entry, name));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, entry]) => listNamed(entry, field));
}

function listContents(value: unknown): string[] {
  return listNamed(value)
    .filter(([name]) => name === 'content')
    .map(([, content]) => content);
}

function isIndexed(content: string, reach: Reach): boolean {
  return [...reach.values()].some(({ text }) => text === content);
}
