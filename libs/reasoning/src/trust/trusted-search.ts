import { MISSING_CALIBRATION } from '../calibration/calibration-identity.js';
import type { Calibration } from '../calibration/calibration.js';
import { judgeCalibration } from '../calibration/judge-calibration.js';
import { judgeHit, type RawHit } from './judge-hit.js';
import type { TrustedResult } from './trusted-result.js';
import { degraded } from './trust-state.js';

/** What a search found, and what it searched. */
export interface RawSearch {
  tenantId: string;
  generationId: string | null;
  pipelineFingerprint: string | null;
  corpusFingerprint: string | null;
  /** Items of the corpus. */
  corpusSize: number;
  /** The index answers; else INDEX_NOT_READY. */
  ready: boolean;
  /** Cosine floor of the embedding model: what counts while no calibration does. */
  relevanceFloor: number;
  hits: readonly RawHit[];
  stageTimes: readonly { stage: string; ms: number }[];
}

export interface TrustedSearchPorts {
  search(
    query: { query: string; tenantId: string; knownAsOf: string | null; limit: number },
    signal?: AbortSignal,
  ): Promise<RawSearch>;
  /** The newest calibration of what was searched; null when there is none. */
  loadCalibration(
    served: { tenantId: string; generationId: string; pipelineFingerprint: string },
    signal?: AbortSignal,
  ): Promise<Calibration | null>;
}

export interface TrustedSearchRequest {
  query: string;
  tenantId: string;
  knownAsOf?: string | null;
  /** Most hits; default 20. */
  limit?: number;
  /** ISO 8601; validity is judged at `knownAsOf`, else now. */
  now: string;
  signal?: AbortSignal;
}

/**
 * Search, calibration and a verdict on every hit. Confidence is judged by the certified calibration's threshold, else by
 * the relevance floor with a degraded trust. Retrieval has abstained when nothing is confident, whatever else a hit is. Errors of the ports pass through.
 */
export async function trustedSearch(request: TrustedSearchRequest, ports: TrustedSearchPorts): Promise<TrustedResult> {
  const { query, tenantId, signal } = request;
  const knownAsOf = request.knownAsOf ?? null;
  const found = await ports.search({ query, tenantId, knownAsOf, limit: request.limit ?? 20 }, signal);
  const common = { query, knownAsOf, stageTimes: found.stageTimes.map(({ stage, ms }) => ({ stage, ms })) };
  const identity = {
    tenantId: found.tenantId,
    generationId: found.generationId,
    pipelineFingerprint: found.pipelineFingerprint,
    corpusFingerprint: found.corpusFingerprint,
  };
  const { generationId, pipelineFingerprint } = found;
  if (!found.ready || generationId === null || pipelineFingerprint === null) {
    const trustState = degraded('INDEX_NOT_READY');
    return { ...common, identity, trustState, calibration: MISSING_CALIBRATION, hits: [], abstained: true };
  }
  const served = { tenantId: found.tenantId, generationId, pipelineFingerprint, corpusSize: found.corpusSize };
  const calibration = await ports.loadCalibration(served, signal);
  const judgement = judgeCalibration(calibration, served);
  const threshold = judgement.certified ? judgement.identity.threshold : found.relevanceFloor;
  const moment = { asOf: knownAsOf ?? request.now, knownAsOf, threshold };
  const hits = found.hits.map((hit) => judgeHit(hit, moment));
  const judged = { ...common, hits, abstained: !found.hits.some(({ score }) => score >= threshold) };
  return judgement.certified
    ? {
        ...judged,
        identity: { ...identity, generationId, pipelineFingerprint },
        trustState: judgement.trustState,
        calibration: judgement.identity,
      }
    : { ...judged, identity, trustState: judgement.trustState, calibration: judgement.identity };
}
