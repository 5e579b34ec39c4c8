import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { loadDemo } from './load-demo.js';

const ANSWERS: Record<string, unknown> = {
  '/v1/ingest': { requestId: 'r', items: [] },
  '/v1/ingestions/r': { requestId: 'r', done: true, counts: { indexed: 64 }, items: [], etaSeconds: 0 },
  '/v1/calibrations': { data: { state: 'certified' } },
};

describe('loadDemo', () => {
  let server: Server;
  afterEach(() => void server.close());

  /** `statuses` of the first requests; all later ones are good. */
  async function load(statuses: number[]): Promise<{ lines: string[]; asked: string[] }> {
    const asked: string[] = [];
    server = createServer((request, response) => {
      const status = statuses[asked.length] ?? 200;
      asked.push(request.url ?? '');
      request.resume().on('end', () => {
        response.writeHead(status).end(JSON.stringify(status === 200 ? ANSWERS[request.url ?? ''] : {}));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const lines: string[] = [];
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await loadDemo({ url, key: 'gm_a_b' }, (line) => lines.push(line));
    return { lines, asked };
  }

  it('tries again what a busy machine could not do in time', async () => {
    const { lines, asked } = await load([503, 200, 504]);
    expect(asked).toEqual(['/v1/ingest', '/v1/ingest', '/v1/ingestions/r', '/v1/ingestions/r', '/v1/calibrations']);
    expect(lines.at(-1)).toBe('Demo workspace: calibrated with 62 questions, certified');
  }, 20_000);

  it('ends at once for what would fail again', async () => {
    await expect(load([403])).rejects.toThrow('POST /v1/ingest answered 403');
  });
});
