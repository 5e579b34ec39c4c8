import {
  AppError,
  toDeclaredStatus,
  type AuditFacts,
  type ItemId,
  type RetrievalCall,
  type RetrievalClient,
} from '@candor/contracts';
import {
  projectGraph,
  type ExpansionRetriever,
  type GraphProvider,
  type PortContext,
  type Retriever,
  type TrustedResult,
} from '@candor/reasoning';

const MOST_HITS = 250;
const MOST_DOCUMENTS = 250;

export interface RetrievalPorts {
  retriever: Retriever;
  expansionRetriever: ExpansionRetriever;
  graphProvider: GraphProvider;
}

/** Tells `refuse` when the key no longer holds: the caller's failure, whichever port hears of it. */
export async function tellRefusal<Result>(
  work: () => Promise<Result>,
  refuse: (error: AppError) => void,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('AUTH.')) refuse(error);
    throw error;
  }
}

/**
 * The engine's reading ports over the retrieval service, as the caller of one request. Facts of each call go to `record`;
 * a key that no longer holds goes to `refuse`: it is the caller's failure, and none of a provider's.
 */
export function createRetrievalPorts(
  retrieval: RetrievalClient,
  call: RetrievalCall,
  { record, refuse }: { record: (facts: AuditFacts) => void; refuse: (error: AppError) => void },
): RetrievalPorts {
  const optionsOf = ({ signal, deadlineMs }: PortContext) => ({ deadline: new Date(Date.now() + deadlineMs), signal });

  const guard = <Result>(work: () => Promise<Result>): Promise<Result> => tellRefusal(work, refuse);

  const search = (
    { query, knownAsOf, limit }: { query: string; knownAsOf: string | null; limit: number },
    context: PortContext,
  ): Promise<TrustedResult> =>
    guard(async () => {
      const request = { query: query.trim(), knownAsOf, limit: Math.min(limit, MOST_HITS) };
      const reply = await retrieval.call('trustedSearch', call, request, optionsOf(context));
      record({ search: reply.facts });
      // The engine checks all of it before it uses any.
      return { ...reply.result, query } as unknown as TrustedResult;
    });

  return {
    retriever: { retrieve: (input, context) => search(input, context) },
    expansionRetriever: {
      retrieve: ({ proposals, knownAsOf }, context) =>
        Promise.all(proposals.map(({ query, limit }) => search({ query, limit, knownAsOf }, context))),
    },
    graphProvider: {
      project: ({ evidence, knownAsOf, maxNodes }, context) =>
        guard(async () => {
          const itemIds = [...new Set(evidence.map(({ documentId }) => documentId as ItemId))];
          const maxDocuments = Math.min(MOST_DOCUMENTS, Math.max(itemIds.length, maxNodes, 1));
          const request = { itemIds, knownAsOf, maxDocuments };
          const { result, facts } = await retrieval.call('relationGraph', call, request, optionsOf(context));
          record({ graph: facts });
          // Its own, from where it was read: the engine holds it against that of the evidence.
          const { identity } = result;
          if (identity === null) throw new AppError('DEPENDENCY.INDEX_UNAVAILABLE');
          return projectGraph({
            identity,
            documents: result.documents.map((document) => ({ ...document, status: toDeclaredStatus(document.status) })),
            relations: result.relations,
            evidence,
            cut: result.cut,
            dismissedProposalIds: result.dismissedProposalIds,
            approvedProposalIds: result.approvedProposalIds,
          });
        }),
    },
  };
}
