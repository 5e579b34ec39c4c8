import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { loadDemoOnce } from './load-demo-once.js';

const STANDALONE = '0b9f3c1e-0000-4000-8000-000000000001';
const DISTRIBUTED = '0b9f3c1e-0000-4000-8000-000000000002';

/** The gateway of a profile: `keyId` is the first key of its database, and its own. */
interface Profile {
  keyId: string;
  ingestions: unknown[];
  refuses?: boolean;
}

describe('loadDemoOnce', () => {
  let folder: string;
  let server: Server;
  let profile: Profile;
  let loads: string[];

  beforeEach(async () => {
    jest.spyOn(console, 'log').mockImplementation(() => undefined);
    folder = await mkdtemp(join(tmpdir(), 'candor-demo-'));
    loads = [];
    server = createServer((request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      if (path === '/v1/ingest' && !profile.refuses) {
        loads.push(profile.keyId);
        profile.ingestions.push({});
      }
      const answers: Record<string, unknown> = {
        '/v1/user/me': { data: { id: profile.keyId } },
        '/v1/ingest': { requestId: 'r', items: [] },
        '/v1/ingestions': { data: profile.ingestions },
        '/v1/ingestions/r': { requestId: 'r', done: true, counts: {}, items: [] },
        '/v1/calibrations': { data: { state: 'certified' } },
      };
      const status = path === '/v1/ingest' && profile.refuses ? 403 : 200;
      request.resume().on('end', () => response.writeHead(status).end(JSON.stringify(answers[path])));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(started: Profile): Promise<void> {
    profile = started;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await loadDemoOnce({ CANDOR_DEMO: true }, folder, { url, key: 'gm_a_b' });
  }

  it('loads it once into the database of each profile that uses the folder', async () => {
    const profiles = [STANDALONE, DISTRIBUTED].map((keyId) => ({ keyId, ingestions: [] }));
    for (const each of [...profiles, ...profiles]) await start(each);
    expect(loads).toEqual([STANDALONE, DISTRIBUTED]);
  });

  it('tries again after a start that did not get through', async () => {
    await expect(start({ keyId: STANDALONE, ingestions: [], refuses: true })).rejects.toThrow('403');
    await start({ keyId: STANDALONE, ingestions: [] });
    expect(loads).toEqual([STANDALONE]);
  });

  it('does not when it is switched off, and asks nobody', async () => {
    await loadDemoOnce({ CANDOR_DEMO: false }, folder, { url: 'http://127.0.0.1:1', key: '' });
  });

  describe('where a release before left its marker, which names no database', () => {
    beforeEach(() => writeFile(join(folder, 'demo-loaded'), '2026-01-01T00:00:00.000Z\n'));

    it('takes it for the one that documents were pushed to', async () => {
      const standalone = { keyId: STANDALONE, ingestions: [{}] };
      await start(standalone);
      await start(standalone);
      expect(loads).toEqual([]);
      expect(await readFile(join(folder, 'demo-loaded'), 'utf8')).toContain(STANDALONE);
    });

    it('loads it into the other', async () => {
      const distributed = { keyId: DISTRIBUTED, ingestions: [] };
      await start(distributed);
      await start(distributed);
      expect(loads).toEqual([DISTRIBUTED]);
    });
  });
});
