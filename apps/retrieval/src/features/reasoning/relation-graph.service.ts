import { AppError, type CallerScope, type RetrievalReply, type RetrievalRequest } from '@candor/contracts';
import type { RelatedDocument, RelationEdge } from '@candor/persistence/views';
import type { Views } from '../../search/retrieval-run.js';
import { narrowToKey } from '../../search/narrow-scope.js';
import type { ReasoningReads } from './reasoning-reads.js';
import { toVisibility } from './to-visibility.js';

type Graph = RetrievalReply<'relationGraph'>['result'];

/** Declared and reviewed relations around documents, from the truth. */
export class RelationGraphService {
  constructor(
    private readonly views: Pick<Views, 'recheck'>,
    private readonly reads: ReasoningReads,
  ) {}

  /** @throws AppError AUTH.INVALID_KEY. Documents that are absent or not the caller's to read are left out alike. */
  async read(
    caller: CallerScope,
    { itemIds, knownAsOf, maxDocuments }: RetrievalRequest<'relationGraph'>,
  ): Promise<RetrievalReply<'relationGraph'>> {
    const { key } = await this.views.recheck(caller.apiKeyId, []);
    if (key === null || key.tenantId !== caller.tenantId) throw new AppError('AUTH.INVALID_KEY');
    const viewer = toVisibility(caller.tenantId, narrowToKey(caller, key));
    const graph = await this.reads.readRelationGraph(viewer, itemIds, { maxDocuments, knownAsOf });
    return {
      result: {
        documents: graph.documents.map(toDocument),
        relations: graph.relations.map(toRelation),
        isCut: graph.isCut,
      },
      facts: {
        documents: graph.documents.length,
        relations: graph.relations.length,
        relationIds: graph.relations.map(({ relationId }) => relationId),
        isCut: graph.isCut,
      },
    };
  }
}

function toDocument(document: RelatedDocument): Graph['documents'][number] {
  return {
    documentId: document.itemId as Graph['documents'][number]['documentId'],
    title: document.title,
    status: document.status,
    validFrom: document.validFrom?.toISOString() ?? null,
    validUntil: document.validUntil?.toISOString() ?? null,
    sourceDate: document.sourceDate?.toISOString() ?? null,
  };
}

function toRelation(edge: RelationEdge): Graph['relations'][number] {
  return {
    relationId: edge.relationId,
    kind: edge.kind,
    fromDocumentId: edge.fromItemId as Graph['relations'][number]['fromDocumentId'],
    toDocumentId: edge.toItemId as Graph['relations'][number]['toDocumentId'],
    origin: edge.origin,
    declaredAt: edge.declaredAt.toISOString(),
  };
}
