import { describe, expect, it } from '@jest/globals';
import { calibrate } from '../calibration/calibrate.js';
import type { Calibration } from '../calibration/calibration.js';
import { makeHit } from '../testing/scripted-ports.js';
import { judgeHit, type RawHit } from './judge-hit.js';
import { trustedResultSchema } from './trusted-result.js';
import { trustedSearch, type RawSearch, type TrustedSearchPorts } from './trusted-search.js';

const NOW = '2026-06-01T00:00:00Z';

function makeRaw(over: Partial<RawHit> = {}): RawHit {
  const { verdict: _verdict, ...hit } = makeHit('c1');
  return { ...hit, supersededBy: [], recordedAt: '2026-01-01T00:00:00Z', verified: true, ...over };
}

describe('judgeHit', () => {
  const judge = (over: Partial<RawHit>, knownAsOf: string | null = null) =>
    judgeHit(makeRaw(over), { asOf: knownAsOf ?? NOW, knownAsOf, threshold: 0.6 }).verdict;

  it.each<[string, string, Partial<RawHit>]>([
    ['ok', 'nothing is wrong', {}],
    ['ok', 'its score is the threshold', { score: 0.6 }],
    ['low_confidence', 'its score is below', { score: 0.5999 }],
    ['superseded', 'one document replaced it', { supersededBy: ['x'] }],
    ['superseded', 'one document replaced it, said twice', { supersededBy: ['x', 'x'] }],
    ['ambiguous_supersession', 'two documents replaced it', { supersededBy: ['x', 'y'] }],
    ['expired', 'its validity ends now', { validUntil: NOW }],
    ['ok', 'its validity ends later', { validUntil: '2026-06-01T00:00:01Z' }],
    ['ok', 'its validity begins now', { validFrom: NOW }],
    ['ok', 'now is within its validity', { validFrom: '2026-05-01T00:00:00Z', validUntil: '2026-07-01T00:00:00Z' }],
    ['expired', 'its validity ended before 1970', { validUntil: '1960-01-01T00:00:00Z' }],
    ['not_yet_valid', 'its validity begins later', { validFrom: '2026-06-01T00:00:01Z' }],
    ['invalid_metadata', 'its validity ends before it begins', { validFrom: NOW, validUntil: '2026-05-01T00:00:00Z' }],
    ['invalid_metadata', 'its validity is empty', { validFrom: NOW, validUntil: NOW }],
    ['invalid_metadata', 'a time is none', { validFrom: 'soon' }],
    ['invalid_metadata', 'its date is none', { sourceDate: 'soon' }],
    ['invalid_metadata', 'its record is none', { recordedAt: 'soon' }],
    ['invalid_metadata', 'its text is blank', { text: ' \n' }],
    ['invalid_metadata', 'its score is NaN', { score: NaN }],
    ['unverified', 'its text was not held against the stored version', { verified: false }],
    ['not_entailed', 'a judge says that it does not answer', { entailed: false }],
    ['ok', 'a judge says that it does', { entailed: true }],
    ['ok', 'no judge said anything', { entailed: null }],
  ])('is %s when %s', (verdict, _when, over) => {
    expect(judge(over)).toBe(verdict);
  });

  it('knows at a transaction time only what was recorded by then', () => {
    expect(judge({}, '2026-01-01T00:00:00Z')).toBe('ok');
    expect(judge({}, '2025-12-31T23:59:59Z')).toBe('not_yet_known');
    expect(judge({ recordedAt: null }, NOW)).toBe('not_yet_known');
    expect(judge({ recordedAt: null })).toBe('ok');
    expect(judge({ recordedAt: '1955-01-01T00:00:00Z' }, '1960-01-01T00:00:00Z')).toBe('ok');
  });

  it('tells the first rule that is broken', () => {
    const broken = { verified: false, supersededBy: ['x'], validUntil: '2020-01-01T00:00:00Z', score: 0 };
    expect(judge(broken)).toBe('unverified');
    expect(judge({ ...broken, verified: true })).toBe('expired');
    expect(judge({ ...broken, verified: true, validUntil: null })).toBe('superseded');
  });

  it('passes nothing on that is not part of a hit', () => {
    expect(judgeHit(makeRaw(), { asOf: NOW, knownAsOf: null, threshold: 0 })).toEqual(makeHit('c1'));
  });
});

describe('trustedSearch', () => {
  const spread = (from: number) => Array.from({ length: 20 }, (_, index) => from + index / 100);
  const calibration = calibrate(
    { answerable: spread(0.7), unanswerable: spread(0.3) },
    {
      tenantId: 'tenant-a',
      generationId: 'generation-1',
      pipelineFingerprint: 'pipeline-1',
      querySetDigest: 'queries-1',
      corpusFingerprint: 'corpus-1',
      corpusSize: 100,
      createdAt: NOW,
    },
  );

  async function search(over: Partial<RawSearch> = {}, held: Calibration | null = calibration, knownAsOf?: string) {
    const asked: unknown[] = [];
    const ports: TrustedSearchPorts = {
      search: async (query) => {
        asked.push(query);
        return {
          tenantId: 'tenant-a',
          generationId: 'generation-1',
          pipelineFingerprint: 'pipeline-1',
          corpusFingerprint: 'corpus-1',
          corpusSize: 100,
          ready: true,
          relevanceFloor: 0.4,
          hits: [makeRaw(), makeRaw({ chunkId: 'c2', score: 0.5 })],
          stageTimes: [{ stage: 'search', ms: 2 }],
          ...over,
        };
      },
      loadCalibration: async (served) => {
        asked.push(served);
        return held;
      },
    };
    const result = await trustedSearch(
      { query: 'Which?', tenantId: 'tenant-a', now: NOW, ...(knownAsOf === undefined ? {} : { knownAsOf }) },
      ports,
    );
    expect(trustedResultSchema.parse(result)).toEqual(result);
    return { result, asked, verdicts: result.hits.map((hit) => hit.verdict) };
  }

  it('judges by the certified threshold and is trusted', async () => {
    const { result, verdicts } = await search();
    expect(result).toMatchObject({
      trustState: { state: 'trusted' },
      calibration: { status: 'certified' },
      abstained: false,
    });
    expect(verdicts).toEqual(['ok', 'low_confidence']);
  });

  it.each([
    ['CALIBRATION_MISSING', null],
    ['CALIBRATION_UNCERTIFIED', { ...calibration, certified: false }],
    ['CALIBRATION_STALE', { ...calibration, corpusSize: 10 }],
  ])('with %s judges by the relevance floor and is degraded', async (failureCode, held) => {
    const hits = [makeRaw({ score: 0.5 }), makeRaw({ chunkId: 'c2', score: 0.3 })];
    const { result, verdicts } = await search({ hits }, held);
    expect(result.trustState).toEqual({ state: 'degraded', failureCode });
    expect(verdicts).toEqual(['ok', 'low_confidence']);
  });

  it.each([{ ready: false }, { generationId: null }, { pipelineFingerprint: null }])(
    'has no hits of an index that is not ready: %j',
    async (over) => {
      const { result, asked } = await search(over);
      expect(result).toMatchObject({ trustState: { failureCode: 'INDEX_NOT_READY' }, hits: [], abstained: true });
      expect(asked).toHaveLength(1);
    },
  );

  it('abstains when nothing is confident, not when hits are demoted for another reason', async () => {
    expect((await search({ hits: [] })).result.abstained).toBe(true);
    expect((await search({ hits: [makeRaw({ score: 0.1 })] })).result.abstained).toBe(true);
    expect((await search({ hits: [makeRaw({ supersededBy: ['x'] })] })).result.abstained).toBe(false);
    expect((await search({ hits: [makeRaw({ score: 0.4 })] }, null)).result.abstained).toBe(false);
    // A question that nothing is about isn't made one by what replaced a far-off passage.
    for (const demoted of [
      { supersededBy: ['x', 'y'] },
      { supersededBy: ['x'] },
      { validUntil: '2020-01-01T00:00:00Z' },
    ])
      expect((await search({ hits: [makeRaw({ ...demoted, score: 0.1 })] })).result.abstained).toBe(true);
  });

  it('passes the transaction time on and judges validity at it', async () => {
    const hits = [makeRaw({ validUntil: '2026-03-01T00:00:00Z' })];
    const { result, asked, verdicts } = await search({ hits }, calibration, '2026-02-01T00:00:00Z');
    expect(asked[0]).toMatchObject({ knownAsOf: '2026-02-01T00:00:00Z', limit: 20, tenantId: 'tenant-a' });
    expect(result.knownAsOf).toBe('2026-02-01T00:00:00Z');
    expect(verdicts).toEqual(['ok']);
    expect((await search({ hits })).verdicts).toEqual(['expired']);
  });

  it('asks for the calibration of what was searched', async () => {
    const { asked } = await search();
    expect(asked[1]).toMatchObject({
      tenantId: 'tenant-a',
      generationId: 'generation-1',
      pipelineFingerprint: 'pipeline-1',
    });
  });
});
