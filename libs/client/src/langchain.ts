import { Document, type DocumentInterface } from '@langchain/core/documents';
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers';
import type { ContextContract11 } from '@candor/contracts';
import type { CandorClient } from './create-client.js';
import { DegradedResultError } from './errors.js';
import { findDegradations } from './find-degradations.js';
import type { CallOptions, Sent } from './types.js';

export interface CandorRetrieverFields extends BaseRetrieverInput {
  client: CandorClient;
  /** Narrows every question: `limit`, `providers`, `collectionId`, `knownAsOf` and so on. */
  scope?: Omit<Sent<'context'>, 'query' | 'contractVersion'>;
  /** A result that lacks something it should have is thrown as a DegradedResultError. Default false: it says so itself. */
  strict?: boolean;
  /** Deadline and signal of every call. */
  call?: Omit<CallOptions, 'onResponse' | 'idempotencyKey'>;
  /** Hears of each contract as a whole, also of one without a hit. */
  onContract?: (contract: ContextContract11) => void;
}

type Hit = ContextContract11['hits'][number];

/** What a document says of itself, beside its text. */
export interface CandorMetadata
  extends Record<string, unknown>, Pick<Hit, 'title' | 'url' | 'provider' | 'score' | 'freshness' | 'validity'> {
  /** Number in the contract's citations. */
  citation: number;
  sourceItemId: string;
  chunkId: string;
  version: number;
  contentHash: string;
  accessPolicy: Hit['accessPolicy'];
  /** `degraded`: the result lacks something it should have; `reasons` say what. */
  trust: { state: 'complete' | 'degraded'; reasons: string[] };
  /** The envelope that the document came in. */
  contract: Pick<ContextContract11['contract'], 'version' | 'requestId' | 'issuedAt'> &
    Pick<ContextContract11, 'exclusions' | 'limitations' | 'retrieval'>;
}

/** LangChain's retriever over `POST /v1/context`: each document carries its source and the contract's trust state. */
export class CandorRetriever extends BaseRetriever<CandorMetadata> {
  static override lc_name(): string {
    return 'CandorRetriever';
  }

  override lc_namespace = ['candor', 'retrievers'];
  private readonly fields: CandorRetrieverFields;

  constructor(fields: CandorRetrieverFields) {
    super(fields);
    this.fields = fields;
  }

  /** @throws DegradedResultError in strict mode; what the client throws */
  override async _getRelevantDocuments(query: string): Promise<DocumentInterface<CandorMetadata>[]> {
    const { client, scope, strict = false, call, onContract } = this.fields;
    const request = { ...scope, query, contractVersion: '1.1' as const };
    const contract = (await client.context(request, call)) as ContextContract11;
    onContract?.(contract);
    const reasons = findDegradations(contract);
    if (strict && reasons.length > 0) throw new DegradedResultError(reasons);
    return contract.hits.map((hit, index) => toDocument(hit, index, contract, reasons));
  }
}

function toDocument(
  { content, ...hit }: Hit,
  index: number,
  { contract, exclusions, limitations, retrieval }: ContextContract11,
  reasons: string[],
): DocumentInterface<CandorMetadata> {
  const { version, requestId, issuedAt } = contract;
  const { ranking: _ranking, ...shown } = hit;
  return new Document<CandorMetadata>({
    id: hit.chunkId,
    pageContent: content,
    metadata: {
      ...shown,
      citation: index + 1,
      trust: { state: reasons.length > 0 ? 'degraded' : 'complete', reasons },
      contract: { version, requestId, issuedAt, exclusions, limitations, retrieval },
    },
  });
}
