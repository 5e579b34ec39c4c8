import {
  ErrorCode,
  McpError,
  type ListResourcesResult,
  type ReadResourceResult,
  type Resource,
} from '@modelcontextprotocol/sdk/types.js';
import {
  getDocumentRoute,
  listDocumentsRoute,
  sourceItemRoute,
  type Document,
  type ResponseOf,
} from '@candor/contracts';
import type { McpAnswersService, McpCallContext } from '../mcp-answers.service.js';
import { readSourceItemUri, sourceItemUri } from './source-item-uri.js';

const PAGE = 50;

/** What the key may read, newest first, as the list of the REST API; one audit event a page. */
export async function listSourceItems(
  answers: McpAnswersService,
  cursor: string | undefined,
  context: McpCallContext,
): Promise<ListResourcesResult> {
  const query = { limit: String(PAGE), ...(cursor === undefined ? {} : { cursor }) };
  const input = { body: undefined, query, params: {} };
  const page = (await answers.callForResult(listDocumentsRoute, input, context)) as ResponseOf<
    typeof listDocumentsRoute
  >;
  const next = page.pagination.cursor;
  return {
    resources: page.data.map(toResource),
    ...(page.pagination.hasMore && next !== null ? { nextCursor: next } : {}),
  };
}

/**
 * Metadata and text of an item, or its text alone; an item whose text is not there yet has metadata only.
 * Errors: -32002 alike for what there isn't and what the key may not see, -32602 for a URI that is none of this server's.
 */
export async function readSourceItem(
  answers: McpAnswersService,
  uri: string,
  context: McpCallContext,
): Promise<ReadResourceResult> {
  const named = readSourceItemUri(uri);
  if (named === null) throw new McpError(ErrorCode.InvalidParams, 'The URI names no resource of this server.');
  const { id, isText } = named;
  const input = { body: undefined, query: {}, params: { id } };
  if (isText) {
    const { data } = (await answers.callForResult(getDocumentRoute, input, context)) as { data: Document };
    return { contents: textOf(id, data) };
  }
  const item = await answers.callForResult(sourceItemRoute, input, context);
  const document = (await answers.readPart(getDocumentRoute, input, sourceItemRoute, context)) as {
    data: Document;
  } | null;
  const metadata = { uri, mimeType: 'application/json', text: JSON.stringify(item) };
  return { contents: [metadata, ...(document === null ? [] : textOf(id, document.data))] };
}

type Listed = ResponseOf<typeof listDocumentsRoute>['data'][number];

function toResource({ id, title, sourceType, status, updatedAt }: Listed): Resource {
  return {
    uri: sourceItemUri(id),
    name: id,
    title,
    description: `${sourceType}, ${status}`,
    annotations: { lastModified: updatedAt },
  };
}

function textOf(id: string, { content }: Document): ReadResourceResult['contents'] {
  return content === null ? [] : [{ uri: `${sourceItemUri(id)}/text`, mimeType: 'text/plain', text: content }];
}
