import { afterEach, describe, expect, it } from '@jest/globals';
import { RecordingGateway, type Answer } from '../testing/recording-gateway.js';
import { runLine } from '../testing/run-line.js';

const CALIBRATION = {
  id: 'digest',
  state: 'certified',
  answerable: 20,
  unanswerable: 22,
  auc: 0.987,
  aucLowerBound: 0.951,
  threshold: 0.6123,
};
const CURRENT = { state: 'stale', corpusSize: 80, corpusSizeBound: 76.8, alarm: true };

describe('candor calibrate', () => {
  let gateway: RecordingGateway | undefined;
  afterEach(() => gateway?.stop());

  async function run(args: string[], answer: Answer, input = '') {
    await gateway?.stop();
    gateway = await RecordingGateway.start(() => answer);
    const environment = { CANDOR_URL: gateway.url, CANDOR_API_KEY: 'gm_abcdefgh_abcdefghijklmnop' };
    const result = await runLine(['calibrate', ...args], environment, { input });
    const requests = gateway.requests.map(({ method, path, body }) => [
      method,
      path,
      body === '' ? null : (JSON.parse(body) as unknown),
    ]);
    return { ...result, requests };
  }

  it('sends labelled questions, and says what they certify', async () => {
    const queries = [{ query: 'q', answerable: true }];
    const { exitCode, out, requests } = await run(
      ['-', '--growth-bound', '0.5'],
      { status: 201, body: { data: CALIBRATION } },
      JSON.stringify(queries),
    );
    expect(requests).toEqual([['POST', '/v1/calibrations', { queries, includeFeedback: false, growthBound: 0.5 }]]);
    expect(out).toContain('certified: 20 answerable and 22 unanswerable questions');
    expect(out).toContain('at least 0.951');
    expect(exitCode).toBe(0);
  });

  it('says what holds when it is given nothing, and fails when that is not a certificate', async () => {
    const body = { data: [], pagination: { cursor: null, hasMore: false }, current: CURRENT };
    const { exitCode, out } = await run([], { status: 200, body });
    expect(out).toContain('stale: 80 items of at most 76; calibrate again');
    expect(exitCode).toBe(1);
  });

  it('refuses a file that is not JSON, and a share that is none', async () => {
    expect((await run(['-'], { status: 200, body: {} }, 'x')).error).toContain('no file that holds JSON');
    expect((await run(['-', '--growth-bound', '2'], { status: 200, body: {} })).error).toContain(
      'A number from 0 to 1',
    );
  });
});
