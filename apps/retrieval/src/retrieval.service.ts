import {
  AppError,
  RETRIEVAL_METHODS,
  type CallerScope,
  type RequestId,
  type RetrievalCall,
  type RetrievalClient,
  type RetrievalMethod,
  type RetrievalReply,
  type RetrievalRequest,
} from '@candor/contracts';
import type { EmbedderRegistry, RelevanceProfile } from '@candor/embeddings';
import { describeIssues, type CallerTokenSigner } from '@candor/runtime';
import type { SearchIndexReader } from '@candor/search-index/read';
import { boundSignal, untilAborted } from './bound-signal.js';
import { ContextService } from './features/context/context.service.js';
import { FindItemsService } from './features/find-items/find-items.service.js';
import type { LibraryReads } from './features/find-items/library-reads.js';
import { ExpandChunkService } from './features/navigate/expand-chunk.service.js';
import { FindPassagesService } from './features/navigate/find-passages.service.js';
import { ReadChunkService } from './features/navigate/read-chunk.service.js';
import { RelationGraphService } from './features/reasoning/relation-graph.service.js';
import { TrustedSearchService } from './features/reasoning/trusted-search.service.js';
import { SearchService } from './features/search/search.service.js';
import type { ReasoningReads } from './features/reasoning/reasoning-reads.js';
import type { Views } from './search/retrieval-run.js';
import { readModelConsent } from './features/reasoning/read-model-consent.js';
import { observeCall } from './retrieval-metrics.js';
import { RetrieveChunksService } from './search/retrieve-chunks.service.js';

export interface RetrievalDependencies {
  reader: SearchIndexReader;
  views: Views & { library: LibraryReads };
  embedders: EmbedderRegistry;
  signer: CallerTokenSigner;
  reasoning: ReasoningReads;
  /** Default: what was measured for the model of the index that is searched. */
  relevance?: RelevanceProfile;
}

/** A call whose token and payload have been checked. */
export interface VerifiedCall<M extends RetrievalMethod> {
  requestId: RequestId;
  scope: CallerScope;
  request: RetrievalRequest<M>;
  /** null = none. */
  deadline: Date | null;
  signal?: AbortSignal;
}

type Handlers = {
  [M in RetrievalMethod]: (call: VerifiedCall<M>, signal: AbortSignal) => Promise<RetrievalReply<M>>;
};

/** All of retrieval, in process. `standalone` calls it as its RetrievalClient; the gRPC controller through `handle`. */
export class RetrievalService implements RetrievalClient {
  private readonly handlers: Handlers;
  private readonly signer: CallerTokenSigner;

  constructor({ reader, views, embedders, signer, reasoning, relevance }: RetrievalDependencies) {
    this.signer = signer;
    const chunks = new RetrieveChunksService(reader, views, embedders, relevance);
    const search = new SearchService(chunks);
    const context = new ContextService(chunks, views);
    const passages = new FindPassagesService(chunks);
    const reading = new ReadChunkService(views);
    const expanding = new ExpandChunkService(views);
    const items = new FindItemsService({ chunks, library: views.library, embedders, relevance }, views);
    const trusted = new TrustedSearchService(chunks, reasoning);
    const relations = new RelationGraphService(views, reasoning);
    this.handlers = {
      search: ({ scope, request }, signal) => search.search(scope, request, signal),
      context: ({ scope, requestId, request }, signal) => context.retrieve(scope, requestId, request, signal),
      findPassages: ({ scope, request }, signal) => passages.findPassages(scope, request, signal),
      readChunk: ({ scope, request }) => reading.readChunk(scope, request.chunkId),
      findItems: ({ scope, request }, signal) => items.findItems(scope, request, signal),
      expandChunk: ({ scope, request }) => expanding.expandChunk(scope, request),
      trustedSearch: ({ scope, request }, signal) => trusted.search(scope, request, signal),
      relationGraph: ({ scope, request }) => relations.read(scope, request),
      modelConsent: ({ scope }) => readModelConsent(reasoning, scope),
    };
  }

  /**
   * @throws AppError AUTH.INVALID_SCOPE for a token that isn't ours or has expired, AUTH.INVALID_KEY for a key that no
   *   longer holds, REQUEST.INVALID, RESOURCE.NOT_FOUND, DEPENDENCY.*, DEADLINE.EXCEEDED, REQUEST.CANCELLED.
   */
  async call<M extends RetrievalMethod>(
    method: M,
    call: RetrievalCall,
    request: RetrievalRequest<M>,
    options: { deadline: Date; signal?: AbortSignal },
  ): Promise<RetrievalReply<M>> {
    const scope = this.signer.verify(call.callerToken);
    const parsed = parseRequest(method, request);
    const reply = await this.handle(method, { requestId: call.requestId, scope, request: parsed, ...options });
    // As over gRPC, so that the two profiles can't come to differ.
    return RETRIEVAL_METHODS[method].reply.parse(reply) as RetrievalReply<M>;
  }

  async handle<M extends RetrievalMethod>(method: M, call: VerifiedCall<M>): Promise<RetrievalReply<M>> {
    const { signal, release } = boundSignal(call.deadline, call.signal);
    try {
      return await observeCall(method, () => untilAborted(signal, () => this.handlers[method](call, signal)));
    } finally {
      release();
    }
  }
}

function parseRequest<M extends RetrievalMethod>(method: M, request: unknown): RetrievalRequest<M> {
  const parsed = RETRIEVAL_METHODS[method].request.safeParse(request, { reportInput: true });
  if (parsed.success) return parsed.data as RetrievalRequest<M>;
  const [first] = describeIssues(parsed.error.issues, 'payload');
  throw new AppError('REQUEST.INVALID', { message: `${first?.field} ${first?.rule}`, details: { ...first } });
}
