import { TRUSTED, degraded, type DegradedState, type TrustedState } from '../trust/trust-state.js';
import type { Calibration } from './calibration.js';
import { MISSING_CALIBRATION, type CalibrationIdentity, type CertifiedCalibration } from './calibration-identity.js';

/** What is served now. */
export interface ServedCorpus {
  tenantId: string;
  generationId: string;
  pipelineFingerprint: string;
  /** Items. */
  corpusSize: number;
}

/** Whether it certifies what is served; the first rule that fails is the one that is told. */
export type CalibrationJudgement =
  | { certified: true; identity: CertifiedCalibration; trustState: TrustedState }
  | { certified: false; identity: CalibrationIdentity; trustState: DegradedState };

/**
 * A calibration of another tenant, generation or pipeline is none: CALIBRATION_MISSING. Then CALIBRATION_UNCERTIFIED, then
 * CALIBRATION_STALE when the corpus has grown past its bound.
 */
export function judgeCalibration(calibration: Calibration | null, served: ServedCorpus): CalibrationJudgement {
  if (
    calibration === null ||
    calibration.tenantId !== served.tenantId ||
    calibration.generationId !== served.generationId ||
    calibration.pipelineFingerprint !== served.pipelineFingerprint
  ) {
    return { certified: false, identity: MISSING_CALIBRATION, trustState: degraded('CALIBRATION_MISSING') };
  }
  const { calibrationId, querySetDigest, threshold } = calibration;
  const present = { calibrationId, querySetDigest, threshold };
  if (!calibration.certified) {
    const identity = { status: 'uncertified', ...present } as const;
    return { certified: false, identity, trustState: degraded('CALIBRATION_UNCERTIFIED') };
  }
  if (hasOutgrown(calibration, served.corpusSize)) {
    const identity = { status: 'stale', ...present } as const;
    return { certified: false, identity, trustState: degraded('CALIBRATION_STALE') };
  }
  return { certified: true, identity: { status: 'certified', ...present }, trustState: TRUSTED };
}

function hasOutgrown(calibration: Calibration, corpusSize: number): boolean {
  return corpusSize > calibration.corpusSize * (1 + calibration.growthBound);
}
