import { beforeAll, describe, expect, it } from '@jest/globals';
import { contextRoute, passageSearchRoute, type ContextContract } from '@candor/contracts';
import { runCandor, type CandorRun } from '../../harness/run-candor.js';
import { createKey, type IssuedKey } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUESTION = 'What did we decide about the brand color?';

/** The commands over a running installation; `candor import` has a suite of its own. */
export function describeCommandLine(world: WorldOf): void {
  describe('candor', () => {
    let agent: IssuedKey;
    beforeAll(async () => {
      agent = await createKey(world().admin);
    });
    const run = (...args: string[]): Promise<CandorRun> => runCandor(agent.client, args, process.cwd());

    it('doctor finds nothing broken', async () => {
      const { exitCode, out } = await runCandor(world().admin, ['doctor', '--json'], process.cwd());
      const { findings } = JSON.parse(out) as { findings: { what: string; state: string }[] };
      expect(findings.filter(({ state }) => state === 'broken')).toEqual([]);
      expect(findings.map(({ what }) => what)).toEqual(expect.arrayContaining(['database', 'key', 'mcp', 'search']));
      expect(exitCode).toBe(0);
    });

    it('ask shows the cited answer', async () => {
      const { exitCode, out } = await run('ask', QUESTION);
      expect(out).toContain('lime-green accent (#A3E635) as the brand color. [1]');
      expect(out).toMatch(/\nSources\n\[1\] Brand decisions [\da-f-]{36}\n/);
      expect(exitCode).toBe(0);
    });

    it('context --json is the body of the API', async () => {
      const { out } = await run('context', QUESTION, '--limit', '3', '--json');
      const contract = JSON.parse(out) as ContextContract;
      const body = { query: QUESTION, limit: 3, contractVersion: '1.1' as const };
      const rest = await agent.client.call(contextRoute, { body });
      expect(contract.citations).toEqual(rest.citations);
      expect(contract.contract.callerApiKeyId).toBe(agent.id);
    });

    it.each([
      ...['keys list', 'sync', 'audit', 'audit chain', 'audit verify', 'tenants show', 'generations list'],
      ...['calibrate', 'search lime', 'context lime', 'ask lime', 'ingest lime --title Lime', 'doctor'],
    ])('%s --json prints one JSON value and nothing else', async (line) => {
      const { exitCode, out, error } = await runCandor(world().admin, [...line.split(' '), '--json'], process.cwd());
      expect(() => JSON.parse(out) as unknown).not.toThrow();
      expect({ exitCode, error }).toEqual({ exitCode: 0, error: '' });
    });

    it('read, expand and verify work on what a search found', async () => {
      const { data } = await agent.client.call(passageSearchRoute, { body: { query: QUESTION, limit: 1 } });
      const [passage] = data.results;
      const chunkId = passage?.chunkId ?? '';
      expect((await run('read', chunkId)).out).toContain(passage?.content ?? '-');
      expect((await run('expand', chunkId, 'up')).exitCode).toBe(0);
      const quotation = passage?.content.split('\n')[0] ?? '';
      expect((await run('verify', chunkId, quotation)).out).toContain(`verified ${chunkId}`);
      expect(await run('verify', chunkId, 'Nobody ever wrote this.')).toMatchObject({ exitCode: 1 });
    });

    it('keys creates one that works until it is revoked', async () => {
      const admin = world().admin;
      const created = await runCandor(admin, ['keys', 'create', 'Made by hand', '--json'], process.cwd());
      const { data } = JSON.parse(created.out) as { data: { id: string; key: string } };
      const client = admin.withKey(data.key);
      expect((await runCandor(client, ['search', 'lime'], process.cwd())).exitCode).toBe(0);
      expect((await runCandor(admin, ['keys', 'revoke', data.id], process.cwd())).exitCode).toBe(0);
      const refused = await runCandor(client, ['search', 'lime'], process.cwd());
      expect(refused).toMatchObject({ exitCode: 2, error: 'The API key is unknown, expired or revoked.\n' });
    });

    it('audit finds the event of a request', async () => {
      const { requestId } = await agent.client.exchange(contextRoute, { body: { query: QUESTION } });
      const { out } = await runCandor(world().admin, ['audit', '--request', requestId], process.cwd());
      expect(out).toContain(`context.retrieve succeeded by agent “${QUESTION}” ${requestId}`);
    });
  });
}
