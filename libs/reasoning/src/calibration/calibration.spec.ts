import { describe, expect, it } from '@jest/globals';
import { computeAuc, computeAucLowerBound } from './auc.js';
import { calibrate, type CalibrationBinding } from './calibrate.js';
import { calibrationSchema, type Calibration } from './calibration.js';
import { judgeCalibration } from './judge-calibration.js';
import { computeQuantile } from './quantile.js';

const binding: CalibrationBinding = {
  tenantId: 'tenant-a',
  generationId: 'generation-1',
  pipelineFingerprint: 'pipeline-1',
  querySetDigest: 'queries-1',
  corpusFingerprint: 'corpus-1',
  corpusSize: 100,
  createdAt: '2026-06-01T00:00:00Z',
};
/** `count` scores from `from` upwards in steps of a hundredth. */
const spread = (from: number, count = 20) => Array.from({ length: count }, (_, index) => from + index / 100);
const good = () => calibrate({ answerable: spread(0.7), unanswerable: spread(0.3) }, binding);

describe('computeQuantile', () => {
  it('interpolates between the closest ranks', () => {
    expect(computeQuantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(computeQuantile([10, 20], 0.05)).toBeCloseTo(10.5);
    expect(computeQuantile([7], 0.95)).toBe(7);
    expect(computeQuantile([1, 2, 3], 1)).toBe(3);
  });
});

describe('computeAuc', () => {
  it('is the share of pairs in the right order, ties counting half', () => {
    expect(computeAuc([2, 3], [0, 1])).toBe(1);
    expect(computeAuc([0, 1], [2, 3])).toBe(0);
    expect(computeAuc([1, 1], [1, 1])).toBe(0.5);
    expect(computeAuc([1, 3], [2, 0])).toBe(0.75);
    expect(computeAuc([2, 2], [2, 1])).toBe(0.75);
  });
});

describe('computeAucLowerBound', () => {
  it('is 1.96 standard errors below the area', () => {
    // By hand: Q1 = 0.893/1.107 = 0.80668, Q2 = 2·0.893²/1.893 = 0.84252, variance 3.1266/2958, standard error 0.03251.
    expect(computeAucLowerBound(0.893, 51, 58)).toBeCloseTo(0.893 - 1.96 * 0.03251, 4);
  });

  it('is 1 for a perfect separation and never negative', () => {
    expect(computeAucLowerBound(1, 20, 20)).toBe(1);
    expect(computeAucLowerBound(0.05, 20, 20)).toBe(0);
  });
});

describe('calibrate', () => {
  it('takes the midpoint of the two quantiles as threshold and certifies a clear separation', () => {
    const calibration = good();
    expect(calibration.answerableQuantile).toBeCloseTo(0.7095);
    expect(calibration.unanswerableQuantile).toBeCloseTo(0.4805);
    expect(calibration.threshold).toBeCloseTo(0.595);
    expect(calibration).toMatchObject({
      ...binding,
      growthBound: 0.2,
      answerableCount: 20,
      unanswerableCount: 20,
      auc: 1,
      aucLowerBound: 1,
      certified: true,
    });
    expect(calibrationSchema.parse(calibration)).toEqual(calibration);
  });

  it('certifies at a lower bound of 0.90, not below, whatever the area itself', () => {
    const overlapping = calibrate({ answerable: spread(0.4), unanswerable: spread(0.3) }, binding);
    expect(overlapping.auc).toBeGreaterThan(0.85);
    expect(overlapping.certified).toBe(false);
    const few = calibrate({ answerable: spread(0.46), unanswerable: spread(0.3) }, binding);
    expect(few.auc).toBeGreaterThan(0.9);
    expect([few.certified, few.aucLowerBound >= 0.9]).toEqual([true, true]);
    const fewer = calibrate({ answerable: spread(0.43), unanswerable: spread(0.3) }, binding);
    expect(fewer.auc).toBeGreaterThan(0.9);
    expect([fewer.certified, fewer.aucLowerBound >= 0.9]).toEqual([false, false]);
  });

  it.each([
    ['answerable', spread(0.7, 19), spread(0.3)],
    ['unanswerable', spread(0.7), spread(0.3, 19)],
    ['answerable', [...spread(0.7), NaN], spread(0.3)],
    ['unanswerable', spread(0.7), [...spread(0.3), -Infinity]],
  ])('refuses too few or non-finite %s scores', (field, answerable, unanswerable) => {
    expect(() => calibrate({ answerable, unanswerable }, binding)).toThrow(
      expect.objectContaining({ code: 'REQUEST.INVALID', details: expect.objectContaining({ field }) }),
    );
  });

  it('has an id that says what it is of, whenever it was made', () => {
    expect(
      calibrate(
        { answerable: spread(0.7), unanswerable: spread(0.3) },
        { ...binding, createdAt: '2027-01-01T00:00:00Z' },
      ).calibrationId,
    ).toBe(good().calibrationId);
    expect(
      calibrate({ answerable: spread(0.7), unanswerable: spread(0.3) }, { ...binding, tenantId: 'tenant-b' })
        .calibrationId,
    ).not.toBe(good().calibrationId);
    expect(calibrate({ answerable: spread(0.71), unanswerable: spread(0.3) }, binding).calibrationId).not.toBe(
      good().calibrationId,
    );
  });
});

describe('judgeCalibration', () => {
  const served = {
    tenantId: 'tenant-a',
    generationId: 'generation-1',
    pipelineFingerprint: 'pipeline-1',
    corpusSize: 100,
  };
  const codeOf = (calibration: Calibration | null, over = {}) =>
    judgeCalibration(calibration, { ...served, ...over }).trustState.failureCode;

  it('certifies what is served', () => {
    const { calibrationId, querySetDigest, threshold } = good();
    expect(judgeCalibration(good(), served)).toEqual({
      certified: true,
      identity: { status: 'certified', calibrationId, querySetDigest, threshold },
      trustState: { state: 'trusted', failureCode: null },
    });
  });

  it('is missing when there is none, or one of another tenant, generation or pipeline', () => {
    expect(codeOf(null)).toBe('CALIBRATION_MISSING');
    for (const over of [{ tenantId: 'x' }, { generationId: 'x' }, { pipelineFingerprint: 'x' }]) {
      expect(codeOf(good(), over)).toBe('CALIBRATION_MISSING');
      expect(judgeCalibration(good(), { ...served, ...over })).toMatchObject({
        certified: false,
        identity: { status: 'missing', calibrationId: null },
      });
    }
  });

  it('is uncertified before it is stale', () => {
    expect(codeOf({ ...good(), certified: false }, { corpusSize: 1000 })).toBe('CALIBRATION_UNCERTIFIED');
    expect(judgeCalibration({ ...good(), certified: false }, served)).toMatchObject({
      certified: false,
      identity: { status: 'uncertified' },
    });
  });

  it('is stale once the corpus has grown past its bound, and not at it', () => {
    expect(codeOf(good(), { corpusSize: 120 })).toBeNull();
    expect(codeOf(good(), { corpusSize: 121 })).toBe('CALIBRATION_STALE');
    expect(codeOf({ ...good(), growthBound: 0 }, { corpusSize: 101 })).toBe('CALIBRATION_STALE');
    expect(judgeCalibration(good(), { ...served, corpusSize: 121 })).toMatchObject({
      certified: false,
      identity: { status: 'stale' },
    });
    expect(codeOf(good(), { corpusSize: 1 })).toBeNull();
  });
});
