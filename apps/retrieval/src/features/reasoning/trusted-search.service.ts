import type { CallerScope, RetrievalReply, RetrievalRequest } from '@candor/contracts';
import type { RelevanceProfile } from '@candor/embeddings';
import {
  calibrationSchema,
  trustedSearch,
  type Calibration,
  type RawHit,
  type RawSearch,
  type TrustedResult,
} from '@candor/reasoning';
import type { RetrieveChunksService } from '../../search/retrieve-chunks.service.js';
import type { RetrievedPage } from '../../search/retrieval-run.js';
import { roundScore } from '../../search/round-score.js';
import type { PageEntry, PagePlan } from '../../search/select-page.js';
import { toAuditFacts } from '../../search/to-audit-facts.js';
import type { ReasoningReads } from './reasoning-reads.js';
import { toVisibility } from './to-visibility.js';

/** The trusted retrieval of reasoning: passages with a verdict each, and how far all of them can be trusted. */
export class TrustedSearchService {
  constructor(
    private readonly chunks: RetrieveChunksService,
    private readonly reads: ReasoningReads,
    private readonly now: () => Date = () => new Date(),
  ) {}

  async search(
    caller: CallerScope,
    { query, knownAsOf, limit }: RetrievalRequest<'trustedSearch'>,
    signal: AbortSignal,
  ): Promise<RetrievalReply<'trustedSearch'>> {
    let facts: RetrievalReply<'trustedSearch'>['facts'] = {};
    const result = await trustedSearch(
      { query, tenantId: caller.tenantId, knownAsOf, limit, now: this.now().toISOString(), signal },
      {
        search: async () => {
          const found = await this.find(caller, { query, knownAsOf, limit }, signal);
          facts = found.facts;
          return found.search;
        },
        loadCalibration: ({ tenantId, generationId }) => this.loadCalibration(tenantId, generationId),
      },
    );
    return { result: toMessage(result), facts: { ...facts, verdicts: countVerdicts(result) } };
  }

  private async find(
    caller: CallerScope,
    { query, knownAsOf, limit }: RetrievalRequest<'trustedSearch'>,
    signal: AbortSignal,
  ): Promise<{ search: RawSearch; facts: RetrievalReply<'trustedSearch'>['facts'] }> {
    let relevance: RelevanceProfile | undefined;
    const planFor = (profile: RelevanceProfile): PagePlan => {
      relevance = profile;
      return passagesToJudge(limit);
    };
    const page = await this.chunks.retrieve(
      caller,
      { text: query, knownAsOf: knownAsOf ?? undefined },
      planFor,
      signal,
    );
    const { generation, tookMs } = page;
    const corpusSize = generation ? await this.reads.countItems(caller.tenantId, generation.id) : 0;
    return {
      search: {
        tenantId: caller.tenantId,
        generationId: generation?.id ?? null,
        pipelineFingerprint: generation?.pipelineFingerprint ?? null,
        corpusFingerprint: generation?.corpusFingerprint ?? null,
        corpusSize,
        ready: generation !== null,
        relevanceFloor: relevance?.relevanceFloor ?? 0,
        hits: await this.toRawHits(caller.tenantId, page, knownAsOf),
        stageTimes: (['embed', 'search', 'recheck'] as const).map((stage) => ({ stage, ms: tenths(tookMs[stage]) })),
      },
      facts: {
        ...toAuditFacts(page),
        chunkIds: page.entries.map(({ chunk }) => chunk.chunkId),
        bestScore: page.entries.reduce((best, { cosine }) => Math.max(best, roundScore(cosine)), 0),
      },
    };
  }

  private async toRawHits(tenantId: string, page: RetrievedPage, knownAsOf: string | null): Promise<RawHit[]> {
    const { entries } = page;
    if (entries.length === 0) return [];
    const viewer = toVisibility(tenantId, page.keyScope);
    const itemIds = [...new Set(entries.map(({ chunk }) => chunk.itemId))];
    const [standings, verified] = await Promise.all([
      this.reads.readStandings(viewer, itemIds, knownAsOf),
      this.reads.findVerified(
        tenantId,
        entries.map(({ chunk }) => chunk),
      ),
    ]);
    return entries.flatMap((entry) => {
      const standing = standings.get(entry.chunk.itemId);
      // Deleted or withheld since it was found.
      if (!standing) return [];
      const { sourceDate, successors } = standing;
      return [toRawHit(entry, { sourceDate, successors, verified: verified.has(entry.chunk.chunkId) })];
    });
  }

  private async loadCalibration(tenantId: string, generationId: string): Promise<Calibration | null> {
    const stored = await this.reads.findCalibration(tenantId, generationId);
    return stored === null ? null : calibrationSchema.parse(stored);
  }
}

/** Everything near the query: the verdicts are the engine's, so nothing is left out for its score or for being replaced. */
function passagesToJudge(limit: number): PagePlan {
  return {
    limit,
    unit: 'passage',
    floor: null,
    tailShare: null,
    rule: null,
    emptyUnlessRelevant: false,
    keepsSuperseded: true,
  };
}

function toRawHit(
  { chunk, cosine, head }: PageEntry,
  { sourceDate, successors, verified }: { sourceDate: Date | null; successors: string[]; verified: boolean },
): RawHit {
  return {
    chunkId: chunk.chunkId,
    documentId: head.itemId,
    documentTitle: head.title,
    text: chunk.content,
    score: roundScore(cosine),
    sourceDate: sourceDate?.toISOString() ?? null,
    validFrom: head.validFrom?.toISOString() ?? null,
    validUntil: head.validUntil?.toISOString() ?? null,
    version: head.version,
    contentHash: head.contentHash,
    supersededBy: successors,
    recordedAt: chunk.recordedAt,
    verified: verified && chunk.contentHash === head.contentHash,
  };
}

function countVerdicts({ hits }: TrustedResult): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verdict } of hits) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

/** As it goes over the wire; the engine checks it where it arrives. */
function toMessage(result: TrustedResult): RetrievalReply<'trustedSearch'>['result'] {
  return JSON.parse(JSON.stringify(result)) as RetrievalReply<'trustedSearch'>['result'];
}

function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
