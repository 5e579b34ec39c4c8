import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  auditEventsRoute,
  checkSourceRoute,
  createSourceRoute,
  deadLettersRoute,
  rotateApiKeyRoute,
  startSyncRoute,
} from '@candor/contracts';
import { buildDocument, readStoredText, RedisMonitor, waitFor, type ApiClient } from '@candor/testkit';
import { ingestAndWait } from '../../harness/ingest.js';
import { callTool, connectMcp } from '../../harness/mcp-client.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import { upload } from '../../harness/upload.js';
import type { WorldOf } from '../../harness/world.js';

const draw = (): string => randomBytes(12).toString('hex');

/** What must be nowhere but where it belongs. */
const PLANTED = {
  botToken: `xoxb-${draw()}`,
  signingSecret: draw(),
  rotatedToken: `xoxb-${draw()}`,
  content: `kelpwrack${draw()}`,
  file: `kelpwrack${draw()}`,
  broken: `kelpwrack${draw()}`,
  prompt: `kelpwrack${draw()}`,
};
/** Tables that keep content, each of which its tenant's own readers see. */
const HOLDS_CONTENT =
  /^public\.(item_versions|item_files|source_items|chunks|prompts|prompt_versions|relation_proposals)$/;

/** Keys, tokens, credentials and content, on paths that succeed and paths that fail: none of them in logs, jobs, events or metrics. */
export function describeSecrets(world: WorldOf): void {
  describe('secrets', () => {
    let admin: ApiClient;
    let monitor: RedisMonitor | null;
    const keys: string[] = [];
    const answers: string[] = [];

    beforeAll(async () => {
      const { redisUrl } = world().stores;
      monitor = redisUrl === null ? null : await RedisMonitor.start(redisUrl);
      admin = (await createTenant(world(), 'Secrets')).admin;
      await exercise();
    }, 240_000);
    afterAll(() => monitor?.stop());

    const keep = (response: { text: string }): void => void answers.push(response.text);

    async function exercise(): Promise<void> {
      const issued = await createKey(admin);
      const rotated = await admin.call(rotateApiKeyRoute, { params: { id: issued.id }, body: { overlapSeconds: 60 } });
      keys.push(admin.key ?? '', issued.key, rotated.data.key);
      await ingestAndWait(admin, [
        buildDocument({ externalId: 'planted', title: 'Planted', body: `It says ${PLANTED.content}.` }),
        buildDocument({ externalId: 'broken', mimeType: 'text/html', body: `<script>${PLANTED.broken}</script>` }),
      ]);
      await upload(admin, { bytes: `It says ${PLANTED.file}.`, name: 'planted.txt' });
      const { status } = await upload(admin, { bytes: `%PDF-1.7 ${PLANTED.broken}`, name: 'broken.pdf' });
      expect(status).toBe('failed');
      keep(await admin.post('/v1/prompts', { title: 'Planted', content: PLANTED.prompt, extra: PLANTED.prompt }));
      const source = {
        provider: 'slack' as const,
        name: 'Planted',
        settings: { baseUrl: 'http://127.0.0.1:9/api/' },
        credentials: { botToken: PLANTED.botToken, signingSecret: PLANTED.signingSecret },
        schedule: null,
        reconcile: null,
      };
      const { data } = await admin.call(createSourceRoute, { body: source });
      keep(await admin.get(`/v1/sources/${data.id}`));
      await admin.call(checkSourceRoute, { params: { id: data.id } });
      await admin.call(startSyncRoute, { body: { sourceId: data.id } });
      keep(
        await admin.send('PATCH', `/v1/sources/${data.id}`, {
          body: { credentials: { botToken: PLANTED.rotatedToken, signingSecret: 7 } },
        }),
      );
      keep(await admin.post('/v1/sources', { ...source, credentials: { botToken: [PLANTED.botToken] } }));
      const signed = { headers: { 'x-slack-signature': `v0=${PLANTED.signingSecret}` }, rawBody: PLANTED.broken };
      keep(await admin.withKey(null).send('POST', `/v1/sources/${data.id}/slack-events`, signed));
      // Keys where they don't belong: in a path, a query, a body and a wrong header.
      const [key = ''] = keys;
      keep(await admin.get(`/v1/source-items/${key}`));
      keep(await admin.get(`/v1/documents?search=x&${key}=1`));
      keep(await admin.send('POST', '/v1/search', { rawBody: `{"query": "x", "key": "${key}"` }));
      keep(await admin.withKey(`${key}0`).get('/v1/user/me'));
      keep(await admin.send('GET', '/v1/user/me', { headers: { authorization: `Basic ${key}` } }));
      const mcp = await connectMcp(admin);
      const call = await callTool(mcp, 'get_source_item', { id: key });
      answers.push(JSON.stringify(call));
      await mcp.close();
      await waitFor(async () => (await admin.call(deadLettersRoute)).data.length >= 2, { what: 'the dead letters' });
    }

    /** Of a key, the half that opens: the other one is no secret. */
    const secretsOfKeys = (): string[] => keys.map((key) => key.split('_')[2] ?? key);

    function expectNone(where: string, text: string, secrets: readonly string[]): void {
      expect(secrets.every((secret) => secret.length >= 16)).toBe(true);
      const found = secrets.flatMap((secret) => {
        const at = text.indexOf(secret);
        return at < 0 ? [] : [text.slice(Math.max(0, at - 80), at + 8)];
      });
      expect([where, found]).toEqual([where, []]);
    }

    it('are in no log and on no terminal', async () => {
      const all = [...secretsOfKeys(), ...Object.values(PLANTED)];
      for (const service of ['gateway', 'ingestion-worker', 'retrieval', 'synthesis'] as const)
        expectNone(service, await world().running.readLog(service), all);
      expectNone('terminal', world().running.printed, all);
    });

    it('are in no answer that says what went wrong, and credentials in none at all', () => {
      for (const [index, text] of answers.entries())
        expectNone(`answer ${index}`, text, [
          PLANTED.botToken,
          PLANTED.rotatedToken,
          PLANTED.signingSecret,
          PLANTED.broken,
        ]);
    });

    it('are in no metric', async () => {
      const { text } = await world().anonymous.get('/metrics');
      expectNone('metrics', text, [...secretsOfKeys(), ...Object.values(PLANTED)]);
    });

    it('are in no audit event and no dead letter', async () => {
      const events = await admin.call(auditEventsRoute, { query: { limit: 100 } });
      const letters = await admin.call(deadLettersRoute, { query: { limit: 100 } });
      const text = JSON.stringify([events.data, letters.data]);
      expect(events.data.length).toBeGreaterThan(10);
      expectNone('audit', text, [...secretsOfKeys(), ...Object.values(PLANTED)]);
    });

    it('are in no table of the database, the queue’s own among them, but for content where content is kept', async () => {
      const { databaseUrl } = world().stores;
      if (databaseUrl === '') return;
      const stored = await readStoredText(databaseUrl);
      expect(stored.size).toBeGreaterThan(20);
      // Sealed, or hashed: in clear nowhere.
      const credentials = [PLANTED.botToken, PLANTED.rotatedToken, PLANTED.signingSecret];
      for (const [table, text] of stored) {
        const hex = [...secretsOfKeys(), ...credentials].map((secret) => Buffer.from(secret).toString('hex'));
        expectNone(table, text, [...secretsOfKeys(), ...credentials, ...hex]);
        const isContent = HOLDS_CONTENT.test(table);
        if (!isContent) expectNone(table, text, [PLANTED.content, PLANTED.file, PLANTED.broken, PLANTED.prompt]);
      }
      expect(stored.get('public.item_versions')).toContain(PLANTED.content);
    });

    it('never went through Redis', () => {
      if (monitor === null) return;
      expect(monitor.text).toContain('item.extract');
      expectNone('Redis', monitor.text, [...secretsOfKeys(), ...Object.values(PLANTED)]);
    });
  });
}
