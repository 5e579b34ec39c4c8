import { tokenizeWords } from '../relevance/tokenize-words.js';
import type { Retriever } from '../run/reasoning-ports.js';
import type { RawHit } from './judge-hit.js';
import { trustedSearch } from './trusted-search.js';

/** A passage in memory; what it doesn't say of itself is unknown. */
export interface MemoryPassage extends Partial<Omit<RawHit, 'chunkId' | 'text' | 'score'>> {
  chunkId: string;
  text: string;
}

/** Share of the query's content words from which a passage counts. */
const WORD_FLOOR = 0.5;

/**
 * A retriever over a few passages in memory, for trying the engine out and for tests: scored by the query's words, without
 * calibration, so the trust is `degraded` with CALIBRATION_MISSING. Every other rule is that of `trustedSearch`.
 */
export function createPassageRetriever(
  tenantId: string,
  passages: readonly MemoryPassage[],
  now: () => string = () => new Date().toISOString(),
): Retriever {
  return {
    retrieve: async ({ query, knownAsOf, limit }, { signal }) => {
      const wanted = new Set(tokenizeWords(query));
      const hits = passages
        .map((passage) => toHit(passage, wanted))
        .filter((hit) => hit.score > 0)
        .sort((left, right) => right.score - left.score)
        .slice(0, limit);
      return trustedSearch(
        { query, tenantId, knownAsOf, limit, now: now(), signal },
        {
          search: async () => ({
            tenantId,
            generationId: 'memory',
            pipelineFingerprint: 'words',
            corpusFingerprint: null,
            corpusSize: passages.length,
            ready: true,
            relevanceFloor: WORD_FLOOR,
            hits,
            stageTimes: [],
          }),
          loadCalibration: async () => null,
        },
      );
    },
  };
}

function toHit(passage: MemoryPassage, wanted: ReadonlySet<string>): RawHit {
  const words = new Set(tokenizeWords(`${passage.documentTitle ?? ''}\n${passage.text}`));
  const shared = [...wanted].filter((word) => words.has(word)).length;
  return {
    documentId: passage.chunkId,
    documentTitle: '',
    sourceDate: null,
    validFrom: null,
    validUntil: null,
    version: null,
    contentHash: null,
    supersededBy: [],
    recordedAt: null,
    verified: true,
    ...passage,
    score: wanted.size === 0 ? 0 : shared / wanted.size,
  };
}
