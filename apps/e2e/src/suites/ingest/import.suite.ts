import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { searchRoute } from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { runCandor, type CandorRun } from '../../harness/run-candor.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const SLACK_EXPORT = {
  'users.json': [{ id: 'U1', name: 'ada', profile: { email: 'ada@acme.example' } }],
  'channels.json': [{ id: 'C1', name: 'harbor', members: ['U1'] }],
  'groups.json': [{ id: 'G1', name: 'board', members: ['U1'] }],
  'harbor/2026-01-05.json': [
    { type: 'message', user: 'U1', ts: '1767607200.000200', text: 'The crane of Svelvik is inspected in May.' },
  ],
  'board/2026-01-05.json': [
    { type: 'message', user: 'U1', ts: '1767607300.000200', text: 'The crane of Svelvik will be sold in June.' },
  ],
};

/** The command line against a running installation. */
export function describeImport(world: WorldOf): void {
  describe('candor import', () => {
    let client: ApiClient;
    let folder: string;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Import')).admin;
      folder = await mkdtemp(join(tmpdir(), 'candor-import-'));
    });
    afterAll(() => rm(folder, { recursive: true }));

    const run = (...args: string[]): Promise<CandorRun> =>
      runCandor(client, ['import', ...args, '--json', '--wait'], folder);
    const ask = async (query: string, reader = client): Promise<string[]> =>
      (await reader.call(searchRoute, { body: { query } })).hits.map(({ content }) => content);
    const reportOf = ({ out }: CandorRun): unknown => JSON.parse(out) as unknown;

    it('brings in a Slack export, with who may read what, and sends nothing twice', async () => {
      const entries = Object.entries(SLACK_EXPORT).map(([name, value]) => [name, strToU8(JSON.stringify(value))]);
      await writeFile(join(folder, 'slack.zip'), zipSync(Object.fromEntries(entries)));
      const first = await run('slack.zip');
      expect(first).toMatchObject({ exitCode: 0 });
      expect(reportOf(first)).toMatchObject({ found: 2, accepted: 2, indexed: 2, failed: [] });
      const query = 'What happens to the crane of Svelvik?';
      expect((await ask(query)).join()).toContain('inspected in May');
      expect((await ask(query)).join()).toContain('sold in June');
      const { client: outsider } = await createKey(client, { principals: ['user:eve@acme.example'] });
      expect((await ask(query, outsider)).join()).not.toContain('sold in June');
      expect(reportOf(await run('slack.zip'))).toMatchObject({ accepted: 0, unchanged: 2 });
    });

    it('brings in a folder: what it can not read it says, and the rest is found', async () => {
      const fixtures = new URL('../../../../../libs/extraction/fixtures/unstructured/', import.meta.url);
      await mkdir(join(folder, 'files', 'deep'), { recursive: true });
      await writeFile(
        join(folder, 'files', 'barn.md'),
        '# Barn of Eidfjord\n\nThe barn of Eidfjord holds forty bales.',
      );
      await writeFile(join(folder, 'files', 'deep', 'memo.pdf'), await readFile(new URL('fake-memo.pdf', fixtures)));
      await writeFile(join(folder, 'files', 'locked.pdf'), await readFile(new URL('password.pdf', fixtures)));
      await writeFile(join(folder, 'files', 'pixel.png'), Buffer.from('89504e470d0a1a0a0000000d', 'hex'));
      const result = await run('files', '--tag', 'archive');
      expect(result.exitCode).toBe(1);
      expect(reportOf(result)).toMatchObject({
        found: 4,
        accepted: 3,
        indexed: 2,
        skipped: [{ name: 'pixel.png' }],
        failed: [{ name: 'locked.pdf', type: 'EXTRACT.ENCRYPTED', message: 'The PDF is protected with a password.' }],
      });
      expect((await ask('How many bales does the barn of Eidfjord hold?'))[0]).toContain('forty bales');
      expect((await ask('How many bottles of water were delivered?'))[0]).toContain('20,000 bottles of water');
    });

    it('brings in NDJSON of documents, and names the lines that are none', async () => {
      const document = {
        provider: 'notion',
        sourceKind: 'document',
        externalId: 'line',
        title: 'Loft',
        body: 'The loft of Ask is dry.',
      };
      await writeFile(
        join(folder, 'documents.ndjson'),
        `${JSON.stringify(document)}\n{"externalId": "x", "body": "y"}\n`,
      );
      const result = await run('documents.ndjson');
      expect(result.exitCode).toBe(1);
      expect(reportOf(result)).toMatchObject({
        accepted: 1,
        indexed: 1,
        failed: [{ name: 'documents.ndjson line 2' }],
      });
    });

    it('says what is wrong before anything is sent', async () => {
      const noKey = await runCandor(client.withKey(''), ['import', 'files'], folder);
      expect(noKey).toMatchObject({ exitCode: 2, error: expect.stringContaining('Set CANDOR_API_KEY') });
      const badKey = await runCandor(client.withKey('gm_nobody_nothing'), ['import', 'files'], folder);
      expect(badKey).toMatchObject({ exitCode: 2, error: expect.stringContaining('unknown, expired or revoked') });
      const help = await runCandor(client, ['import', '--help'], folder);
      expect(help).toMatchObject({ exitCode: 0, out: expect.stringContaining('candor import slack-export.zip') });
    });
  });
}
