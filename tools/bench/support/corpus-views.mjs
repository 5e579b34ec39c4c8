import { TENANT } from './build-chunks.mjs';

export const GENERATION_ID = '00000000-0000-4000-8000-000000000003';
export const CALLER = {
  tenantId: TENANT,
  apiKeyId: '00000000-0000-4000-8000-000000000002',
  actorType: 'application',
  allowedActions: ['search'],
  allowedProviders: null,
  principals: null,
};

/** What retrieval reads from Postgres, for a corpus in which everything is live and open. */
export function corpusViews(items, generation) {
  const heads = new Map(
    items.map(({ head, version }) => [
      `${head.id}:1`,
      {
        itemId: head.id,
        version: 1,
        title: head.title,
        url: null,
        provider: head.provider,
        syncedAt: null,
        validFrom: null,
        validUntil: null,
        accessPolicy: null,
        accessMode: head.accessMode,
        principals: [],
        contentHash: version.contentHash,
        current: true,
        notYetKnown: false,
        superseded: false,
      },
    ]),
  );
  const live = {
    id: GENERATION_ID,
    name: generation,
    pipelineFingerprint: 'bench',
    corpusFingerprint: 'bench',
    embedding: null,
  };
  return {
    recheck: async (_apiKeyId, candidates) => ({
      key: CALLER,
      generation: live,
      heads: new Map(
        candidates.flatMap(({ itemId, version }) => {
          const head = heads.get(`${itemId}:${version}`);
          return head ? [[`${itemId}:${version}`, head]] : [];
        }),
      ),
    }),
    liveGeneration: async () => live,
    collectionItems: async () => null,
    readChunk: async () => null,
    expandChunk: async () => null,
    taggedItems: async () => [],
    sourceProblems: async () => [],
  };
}
