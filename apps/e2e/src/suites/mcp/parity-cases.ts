import { randomUUID } from 'node:crypto';
import {
  contextRoute,
  expandChunkRoute,
  findItemsRoute,
  passageSearchRoute,
  passageSessionRoute,
  readChunkRoute,
  reasoningRoute,
  reasonRoute,
  searchRoute,
  sourceItemRoute,
  verifyCitationsRoute,
  type RouteContract,
} from '@candor/contracts';

/** One question, asked both ways; where it is no GET, the arguments are the body. */
export interface ParityCase {
  what: string;
  tool: string;
  args: Record<string, unknown>;
  route: RouteContract;
  params?: Record<string, string>;
  query?: Record<string, string>;
}

export interface KnownIds {
  itemId: string;
  chunkId: string;
  quotation: string;
}

const QUESTION = 'What did we decide about the brand color?';

/** The fixtures of both surfaces: every tool, what it finds, what it refuses. */
export function parityCases({ itemId, chunkId, quotation }: KnownIds): ParityCase[] {
  const absent = randomUUID();
  return [
    { what: 'hits', tool: 'search', args: { query: QUESTION }, route: searchRoute },
    {
      what: 'hits within a scope',
      tool: 'search',
      args: { query: QUESTION, limit: 2, providers: ['notion'], ranking: 'fused' },
      route: searchRoute,
    },
    { what: 'a query as it was sent', tool: 'search', args: { query: '  lime\t' }, route: searchRoute },
    { what: 'a bad limit', tool: 'search', args: { query: QUESTION, limit: 26 }, route: searchRoute },
    { what: 'an unknown field', tool: 'search', args: { query: QUESTION, colour: 'red' }, route: searchRoute },
    { what: 'contract 1.0', tool: 'context', args: { query: QUESTION }, route: contextRoute },
    {
      what: 'contract 1.1',
      tool: 'context',
      args: { query: QUESTION, contractVersion: '1.1', providers: ['notion', 'gmail'] },
      route: contextRoute,
    },
    { what: 'a blank query', tool: 'context', args: { query: ' ' }, route: contextRoute },
    { what: 'an answer', tool: 'reason', args: { query: QUESTION, limit: 12 }, route: reasonRoute },
    {
      what: 'an answer with its quotations',
      tool: 'reason',
      args: { query: QUESTION, includeQuotations: true },
      route: reasonRoute,
    },
    {
      what: 'no evidence',
      tool: 'reason',
      args: { query: 'Who won the football match on Saturday?' },
      route: reasonRoute,
    },
    { what: 'a clamped limit', tool: 'reason', args: { query: QUESTION, limit: 0.5 }, route: reasonRoute },
    { what: 'a malformed scope', tool: 'reason', args: { query: QUESTION, documentId: 'x' }, route: reasonRoute },
    { what: 'an answer or a refusal', tool: 'reasoning', args: { query: QUESTION }, route: reasoningRoute },
    {
      what: 'evidence alone',
      tool: 'reasoning',
      args: { query: QUESTION, policy: { name: 'retrieval_only', require_certified_evidence: false } },
      route: reasoningRoute,
    },
    { what: 'a blank query', tool: 'reasoning', args: { query: ' ' }, route: reasoningRoute },
    { what: 'an unknown policy', tool: 'reasoning', args: { query: QUESTION, policy: 'bold' }, route: reasoningRoute },
    {
      what: 'items by meaning',
      tool: 'find_items',
      args: { query: 'brand color' },
      route: findItemsRoute,
      query: { q: 'brand color' },
    },
    {
      what: 'documents by their words',
      tool: 'find_items',
      args: { query: 'lime-green', type: 'documents', semantic: false, limit: 3 },
      route: findItemsRoute,
      query: { q: 'lime-green', type: 'documents', semantic: 'false', limit: '3' },
    },
    {
      what: 'a kind that the key may not use',
      tool: 'find_items',
      args: { query: 'brand', type: 'prompts' },
      route: findItemsRoute,
      query: { q: 'brand', type: 'prompts' },
    },
    { what: 'passages', tool: 'deep_search', args: { query: QUESTION, limit: 3 }, route: passageSearchRoute },
    {
      what: 'passages of a document',
      tool: 'deep_search',
      args: { query: QUESTION, documentId: itemId },
      route: passageSearchRoute,
    },
    {
      what: 'an unknown session',
      tool: 'deep_search',
      args: { query: QUESTION, sessionId: absent },
      route: passageSearchRoute,
    },
    { what: 'a session', tool: 'deep_session', args: {}, route: passageSessionRoute },
    { what: 'a passage', tool: 'deep_read', args: { chunkId }, route: readChunkRoute, params: { chunkId } },
    {
      what: 'an absent passage',
      tool: 'deep_read',
      args: { chunkId: absent },
      route: readChunkRoute,
      params: { chunkId: absent },
    },
    {
      what: 'what stands around',
      tool: 'deep_expand',
      args: { chunkId, direction: 'surrounding', count: 2 },
      route: expandChunkRoute,
    },
    {
      what: 'nothing above',
      tool: 'deep_expand',
      args: { chunkId, direction: 'up', count: 50 },
      route: expandChunkRoute,
    },
    { what: 'no direction', tool: 'deep_expand', args: { chunkId }, route: expandChunkRoute },
    { what: 'an item', tool: 'get_source_item', args: { id: itemId }, route: sourceItemRoute, params: { id: itemId } },
    {
      what: 'an absent item',
      tool: 'get_source_item',
      args: { id: absent },
      route: sourceItemRoute,
      params: { id: absent },
    },
    {
      what: 'checked quotations',
      tool: 'verify_citations',
      args: {
        citations: [
          { chunkId, quotation },
          { chunkId, quotation: 'Nobody ever wrote this.' },
          { chunkId: absent, quotation },
        ],
      },
      route: verifyCitationsRoute,
    },
    { what: 'nothing to check', tool: 'verify_citations', args: { citations: [] }, route: verifyCitationsRoute },
  ];
}
