import { AppError, type CallerScope, type RetrievalReply, type RetrievalRequest } from '@candor/contracts';
import type { LiveGeneration, RelatedDocument, RelationEdge } from '@candor/persistence/views';
import type { Views } from '../../search/retrieval-run.js';
import { narrowToKey } from '../../search/narrow-scope.js';
import type { ReasoningReads } from './reasoning-reads.js';
import { toVisibility } from './to-visibility.js';

type Graph = RetrievalReply<'relationGraph'>['result'];

/** Declared and reviewed relations around documents, from the truth, and what was served when they were read. */
export class RelationGraphService {
  constructor(
    private readonly views: Pick<Views, 'liveGeneration' | 'recheck'>,
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
    // Read last: when it is what the evidence was of, nothing has changed in between.
    const generation = await this.views.liveGeneration(caller.tenantId);
    return {
      result: {
        documents: graph.documents.map(toDocument),
        relations: graph.relations.map(toRelation),
        cut: graph.cut,
        dismissedProposalIds: graph.dismissedProposalIds,
        approvedProposalIds: graph.approvedProposalIds,
        identity: generation && toIdentity(caller.tenantId, generation),
      },
      facts: {
        documents: graph.documents.length,
        relations: graph.relations.length,
        relationIds: graph.relations.map(({ relationId }) => relationId),
        cut: graph.cut,
        generationId: generation?.id ?? null,
      },
    };
  }
}

function toIdentity(tenantId: string, generation: LiveGeneration): Graph['identity'] {
  return {
    tenantId: tenantId as NonNullable<Graph['identity']>['tenantId'],
    generationId: generation.id as NonNullable<Graph['identity']>['generationId'],
    pipelineFingerprint: generation.pipelineFingerprint,
    corpusFingerprint: generation.corpusFingerprint,
  };
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
