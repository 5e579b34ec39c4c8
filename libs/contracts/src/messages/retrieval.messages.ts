import { z } from 'zod';
import { requestIdSchema } from '../ids.js';
import { contextBodySchema, contextContractSchema } from '../v1/context.route.js';
import {
  chunkReadingSchema,
  expandChunkBodySchema,
  expansionSchema,
  passageSchema,
  passageSearchBodySchema,
} from '../v1/navigation.route.js';
import { findItemsResultSchema, libraryKindSchema } from '../v1/find-items.route.js';
import { querySchema, searchBodySchema, searchResponseSchema } from '../v1/search.route.js';
import {
  relationGraphRequestSchema,
  relationGraphSchema,
  trustedSearchRequestSchema,
  trustedSearchResultSchema,
} from './trusted-search.messages.js';

/** What every call to retrieval carries beside its payload. */
export const retrievalCallSchema = z.strictObject({
  requestId: requestIdSchema,
  /** Signed CallerScope; see signCallerScope in libs/runtime. */
  callerToken: z.string().min(1),
});
export type RetrievalCall = z.infer<typeof retrievalCallSchema>;

/** Facts for the audit event: ids, counts, timings; never content. */
export const auditFactsSchema = z.record(z.string(), z.json());
export type AuditFacts = z.infer<typeof auditFactsSchema>;

/**
 * Passages as evidence: what `/v1/pd/search` returns plus what the relevance gate needs.
 * `relevant` says whether anything the caller may see is relevant to the query (the score itself is not public in reasoning).
 */
export const evidenceSchema = z.strictObject({
  passages: z.array(passageSchema),
  bestScore: z.number(),
  relevant: z.boolean(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

export const findPassagesRequestSchema = passageSearchBodySchema.extend({
  /** Chunks a session has shown already. */
  excludeChunkIds: z.array(z.string()).optional(),
});
export type FindPassagesRequest = z.infer<typeof findPassagesRequestSchema>;

export const findItemsRequestSchema = z.strictObject({
  query: querySchema,
  kinds: z.array(libraryKindSchema).min(1),
  /** false = literal. */
  semantic: z.boolean(),
  tags: z.array(z.string()),
  /** Of each kind. */
  limit: z.number().int().min(1).max(50),
});
export type FindItemsRequest = z.infer<typeof findItemsRequestSchema>;

const replyOf = <Result extends z.ZodType>(result: Result) => z.strictObject({ result, facts: auditFactsSchema });

/** The methods of `candor.retrieval.v1.Retrieval`; each payload is checked on both ends. */
export const RETRIEVAL_METHODS = {
  search: { request: searchBodySchema, reply: replyOf(searchResponseSchema) },
  context: { request: contextBodySchema, reply: replyOf(contextContractSchema) },
  findPassages: { request: findPassagesRequestSchema, reply: replyOf(evidenceSchema) },
  readChunk: { request: z.strictObject({ chunkId: z.string() }), reply: replyOf(chunkReadingSchema) },
  findItems: { request: findItemsRequestSchema, reply: replyOf(findItemsResultSchema) },
  expandChunk: { request: expandChunkBodySchema, reply: replyOf(expansionSchema) },
  trustedSearch: { request: trustedSearchRequestSchema, reply: replyOf(trustedSearchResultSchema) },
  relationGraph: { request: relationGraphRequestSchema, reply: replyOf(relationGraphSchema) },
  /** Whether the caller's tenant lets its content go to an external model, as it is now. */
  modelConsent: { request: z.strictObject({}), reply: replyOf(z.strictObject({ isGiven: z.boolean() })) },
} as const;
export type RetrievalMethod = keyof typeof RETRIEVAL_METHODS;
export type RetrievalRequest<M extends RetrievalMethod> = z.output<(typeof RETRIEVAL_METHODS)[M]['request']>;
export type RetrievalReply<M extends RetrievalMethod> = z.output<(typeof RETRIEVAL_METHODS)[M]['reply']>;

/**
 * The one way to retrieval, in process (standalone) or over gRPC. Errors are AppErrors:
 * AUTH.INVALID_SCOPE and AUTH.INVALID_KEY, RESOURCE.NOT_FOUND, DEPENDENCY.*, DEADLINE.EXCEEDED.
 */
export interface RetrievalClient {
  call<M extends RetrievalMethod>(
    method: M,
    call: RetrievalCall,
    request: RetrievalRequest<M>,
    options: { deadline: Date; signal?: AbortSignal },
  ): Promise<RetrievalReply<M>>;
}
export const RETRIEVAL_CLIENT = Symbol('RetrievalClient');
