import { CALIBRATION_GROWTH_ALARM, type Calibration, type CalibrationStatus } from '@candor/contracts';
import type { GenerationEntity } from '@candor/persistence';
import { judgeCalibration, type Calibration as StoredCalibration } from '@candor/reasoning';

type Live = Pick<GenerationEntity, 'id' | 'tenantId' | 'pipelineFingerprint' | 'itemCount'>;

export function toCalibration(stored: StoredCalibration, live: Live | null): Calibration {
  return {
    id: stored.calibrationId,
    state: stateOf(stored, live),
    generationId: stored.generationId,
    pipelineFingerprint: stored.pipelineFingerprint,
    querySetDigest: stored.querySetDigest,
    answerable: stored.answerableCount,
    unanswerable: stored.unanswerableCount,
    threshold: stored.threshold,
    answerableQuantile: stored.answerableQuantile,
    unanswerableQuantile: stored.unanswerableQuantile,
    auc: stored.auc,
    aucLowerBound: stored.aucLowerBound,
    corpusFingerprint: stored.corpusFingerprint,
    corpusSize: stored.corpusSize,
    growthBound: stored.growthBound,
    createdAt: stored.createdAt,
  };
}

/** What holds for the live generation, by its newest calibration. */
export function toCalibrationStatus(stored: StoredCalibration | null, live: Live | null): CalibrationStatus {
  const corpusSize = live?.itemCount ?? 0;
  if (stored === null || live === null)
    return {
      state: 'missing',
      calibrationId: null,
      generationId: live?.id ?? null,
      corpusSize,
      corpusSizeBound: null,
      growth: null,
      alarm: false,
    };
  const state = stateOf(stored, live);
  const allowed = stored.corpusSize * stored.growthBound;
  const grown = Math.max(0, corpusSize - stored.corpusSize);
  const growth = grown === 0 ? 0 : allowed === 0 ? grown : grown / allowed;
  return {
    state,
    calibrationId: stored.calibrationId,
    generationId: live.id,
    corpusSize,
    corpusSizeBound: stored.corpusSize + allowed,
    growth,
    alarm: stored.certified && growth >= CALIBRATION_GROWTH_ALARM,
  };
}

/** One of another generation or pipeline was right once: it is stale, not missing. */
function stateOf(stored: StoredCalibration, live: Live | null): Calibration['state'] {
  if (live === null) return 'stale';
  const { status } = judgeCalibration(stored, {
    tenantId: live.tenantId,
    generationId: live.id,
    pipelineFingerprint: live.pipelineFingerprint,
    corpusSize: live.itemCount,
  }).identity;
  return status === 'missing' ? 'stale' : status;
}
