import { createHmac } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  cancelSyncRoute,
  checkSourceRoute,
  deleteSourceRoute,
  listSourcesRoute,
  listSyncRunsRoute,
  searchRoute,
  sourceItemRoute,
  startSyncRoute,
  updateSourceRoute,
  type Source,
} from '@candor/contracts';
import { buildDocument, waitFor, type ApiClient, type ApiResponse } from '@candor/testkit';
import { readEvents, waitForEvent } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { SlackWorkspace, WORKSPACE_TOKEN } from '../../harness/slack-workspace.js';
import { connectWorkspace, readSource, SIGNING_SECRET, syncAndWait, waitForRun } from '../../harness/sources.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const NOT_FOUND = { status: 404, type: 'RESOURCE.NOT_FOUND' } as const;
const UNKNOWN_ID = '7c2a1a0e-94a5-4c1b-9a3c-2f0b8a3f5d61';
const LIGHTHOUSE = 'Who paints the lighthouse of Skogby?';

/** A connected workspace from its first sync to its removal, over HTTP on both sides. */
export function describeSources(world: WorldOf): void {
  describe('sources', () => {
    let client: ApiClient;
    let workspace: SlackWorkspace;
    let source: Source;

    beforeAll(async () => {
      client = (await createTenant(world(), 'Sources')).admin;
      workspace = await SlackWorkspace.start();
      workspace.channels.push(
        {
          id: 'C1',
          name: 'harbour',
          isPrivate: false,
          members: ['U1', 'U2'],
          messages: [
            { ts: '1760000001.000100', user: 'U1', text: 'The lighthouse of Skogby is painted by Torvald every June.' },
            { ts: '1760000002.000100', user: 'U2', text: 'The ferry to Skogby leaves from quay seven at noon.' },
          ],
        },
        {
          id: 'C2',
          name: 'council',
          isPrivate: true,
          members: ['U1'],
          messages: [
            { ts: '1760000003.000100', user: 'U1', text: 'The budget for new buoys is eleven thousand crowns.' },
          ],
        },
      );
      source = await connectWorkspace(client, workspace);
    });
    afterAll(() => workspace.stop());

    const search = async (query: string, asker = client) => (await asker.call(searchRoute, { body: { query } })).hits;
    const hitOf = async (query: string, text: string, asker = client) =>
      (await search(query, asker)).find((hit) => hit.content.includes(text));
    const item = (id: string) => client.call(sourceItemRoute, { params: { id } });

    it('shows which credentials are set and never their values', async () => {
      expect(source).toMatchObject({
        provider: 'slack',
        state: 'active',
        credentials: { fields: ['botToken', 'signingSecret'], keyId: expect.any(String) },
        schedule: null,
        lastSuccessAt: null,
        activeRunId: null,
        items: { total: 0, withheld: 0, failed: 0 },
        removal: null,
      });
      const { data } = await client.call(listSourcesRoute);
      expect(data).toEqual([source]);
      expect(JSON.stringify(data)).not.toContain('planted');
    });

    it('proves credentials', async () => {
      const { data } = await client.call(checkSourceRoute, { params: { id: source.id } });
      expect(data).toMatchObject({ status: 'ok', account: expect.stringContaining('Skogby'), error: null });
      expect((await readSource(client, source.id)).lastCheck).toEqual(data);
      const checkOnce = () => client.post(`/v1/sources/${source.id}/check`, undefined, { 'idempotency-key': 'check' });
      const once = await checkOnce();
      expect(once).toMatchObject({ status: 200, body: { data: { status: 'ok' } } });
      expect((await checkOnce()).body).toEqual(once.body);
    });

    it('takes in what is there, with address, author and policy', async () => {
      const run = await syncAndWait(client, source.id);
      expect(run).toMatchObject({ state: 'succeeded', counts: { accepted: 3, failed: 0, withheld: 0 }, failures: [] });
      const hit = await hitOf(LIGHTHOUSE, 'Torvald');
      expect(hit).toMatchObject({
        provider: 'slack',
        url: 'https://skogby.slack.com/archives/C1/p1760000001000100',
        accessPolicy: { provider: 'slack', mode: 'provider_scope', channelId: 'C1' },
      });
      expect(await item(hit?.sourceItemId ?? '')).toMatchObject({ authorName: 'Ada Lind', connectorId: source.id });
      const secret = await hitOf('What is the budget for buoys?', 'eleven thousand');
      expect(secret?.accessPolicy).toMatchObject({
        mode: 'acl',
        principals: ['channel:C2', 'user:ada@skogby.example'],
      });
      expect(await readSource(client, source.id)).toMatchObject({
        lastSuccessAt: expect.any(String),
        lastError: null,
        items: { total: 3, withheld: 0, failed: 0 },
      });
      const [event] = (await readEvents(client, run.id)).filter(({ action }) => action === 'source.sync');
      expect(event).toMatchObject({ outcome: 'succeeded', targetId: source.id, metadata: { counts: run.counts } });
    });

    it('takes in nothing the second time', async () => {
      const run = await syncAndWait(client, source.id);
      expect(run).toMatchObject({ state: 'succeeded', counts: { accepted: 0, metadata: 0, deleted: 0 } });
    });

    it('takes in one item that was edited, and only that', async () => {
      const before = await hitOf('When does the ferry leave?', 'noon');
      workspace.edit('C1', '1760000002.000100', 'The ferry to Skogby leaves from quay seven at midnight.');
      const run = await syncAndWait(client, source.id);
      expect(run.counts).toMatchObject({ accepted: 1, metadata: 0 });
      const after = await hitOf('When does the ferry leave?', 'midnight');
      expect(after?.sourceItemId).toBe(before?.sourceItemId);
      expect((await item(after?.sourceItemId ?? '')).version).toBe(2);
      expect(await hitOf('When does the ferry leave?', 'noon')).toBeUndefined();
    });

    it('obeys a changed permission with the next query, and embeds nothing again', async () => {
      const { client: bo } = await createKey(client, { principals: ['user:bo@skogby.example'] });
      const visible = await hitOf(LIGHTHOUSE, 'Torvald', bo);
      expect(visible).toBeDefined();
      // Runs tell of everybody's items.
      expectError(await bo.get('/v1/sync-runs'), { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
      const before = await item(visible?.sourceItemId ?? '');
      Object.assign(workspace.channel('C1'), { isPrivate: true, members: ['U1'] });
      const run = await syncAndWait(client, source.id);
      expect(run.counts).toMatchObject({ accepted: 0, metadata: 2 });
      expect(await search(LIGHTHOUSE, bo)).toEqual([]);
      const { client: ada } = await createKey(client, { principals: ['user:ada@skogby.example'] });
      expect(await hitOf(LIGHTHOUSE, 'Torvald', ada)).toBeDefined();
      const after = await item(visible?.sourceItemId ?? '');
      expect([after.version, after.chunkIds]).toEqual([before.version, before.chunkIds]);
    });

    it('hides what was deleted at the source', async () => {
      const { messages } = workspace.channel('C1');
      messages.splice(1, 1);
      const run = await syncAndWait(client, source.id);
      expect(run.counts).toMatchObject({ deleted: 1, accepted: 0 });
      expect(await hitOf('When does the ferry leave?', 'midnight')).toBeUndefined();
      await waitForEvent(client, { requestId: run.id, action: 'item.deleted' });
    });

    it('has one active run, which a second request gets, and which can be cancelled', async () => {
      workspace.hold();
      try {
        const first = await client.call(startSyncRoute, { body: { sourceId: source.id } });
        expect(first.data).toMatchObject({ alreadyActive: false });
        const second = await client.call(startSyncRoute, { body: { sourceId: source.id, mode: 'full' } });
        expect(second.data).toMatchObject({ id: first.data.id, alreadyActive: true, mode: 'incremental' });
        expect((await readSource(client, source.id)).activeRunId).toBe(first.data.id);
        const { data } = await client.call(cancelSyncRoute, { params: { id: first.data.id } });
        expect(data.cancelRequested).toBe(true);
        workspace.resume();
        expect(await waitForRun(client, first.data.id)).toMatchObject({ state: 'cancelled', counts: { accepted: 0 } });
        expect((await readSource(client, source.id)).activeRunId).toBeNull();
      } finally {
        workspace.resume();
      }
    });

    it('lists runs, newest first, by source and state', async () => {
      const all = await client.call(listSyncRunsRoute, { query: { sourceId: source.id } });
      expect(all.data.length).toBeGreaterThan(4);
      const times = all.data.map(({ createdAt }) => createdAt);
      expect(times).toEqual(times.toSorted().reverse());
      const cancelled = await client.call(listSyncRunsRoute, { query: { state: 'cancelled' } });
      expect(cancelled.data.map(({ state }) => state)).toEqual(['cancelled']);
    });

    it('says what is wrong with credentials, and keeps what it has', async () => {
      await client.call(updateSourceRoute, {
        params: { id: source.id },
        body: { credentials: { botToken: 'xoxb-planted-wrong', signingSecret: SIGNING_SECRET } },
      });
      const { data } = await client.call(checkSourceRoute, { params: { id: source.id } });
      expect(data).toMatchObject({ status: 'rejected', error: { type: 'CONNECTOR.CREDENTIALS_REJECTED' } });
      const run = await syncAndWait(client, source.id);
      expect(run).toMatchObject({ state: 'failed', error: { type: 'CONNECTOR.CREDENTIALS_REJECTED' } });
      expect((await readSource(client, source.id)).lastError).toMatchObject({ type: 'CONNECTOR.CREDENTIALS_REJECTED' });
      expect(await hitOf(LIGHTHOUSE, 'Torvald')).toBeDefined();
      await client.call(updateSourceRoute, {
        params: { id: source.id },
        body: { credentials: { botToken: WORKSPACE_TOKEN, signingSecret: SIGNING_SECRET } },
      });
      expect((await syncAndWait(client, source.id)).state).toBe('succeeded');
      expect((await readSource(client, source.id)).lastError).toBeNull();
    });

    it('drops what its settings cover no more', async () => {
      expect(await hitOf('What is the budget for buoys?', 'eleven thousand')).toBeDefined();
      const settings = { baseUrl: workspace.baseUrl, channelAllowlist: ['harbour'] };
      const { data } = await client.call(updateSourceRoute, { params: { id: source.id }, body: { settings } });
      expect(data.settings).toEqual(settings);
      const run = await syncAndWait(client, source.id, 'full');
      expect(run).toMatchObject({ state: 'succeeded', counts: { accepted: 0, deleted: 1 } });
      expect(await hitOf('What is the budget for buoys?', 'eleven thousand')).toBeUndefined();
      expect(await hitOf(LIGHTHOUSE, 'Torvald')).toBeDefined();
      expect((await readSource(client, source.id)).lastReconciledAt).toEqual(expect.any(String));
    });

    it('refuses bad input and names the field', async () => {
      const create = (fields: Record<string, unknown>) =>
        client.post('/v1/sources', { provider: 'slack', name: 'X', credentials: { botToken: 'planted' }, ...fields });
      const bad = { status: 400, type: 'REQUEST.INVALID' } as const;
      expectError(await create({ provider: 'myspace' }), { ...bad, field: 'provider' });
      expectError(await create({ credentials: {} }), { ...bad, field: 'credentials.botToken' });
      expectError(await create({ settings: { baseUrl: 'ftp://x' } }), { ...bad, field: 'settings.baseUrl' });
      expectError(await create({ schedule: { everyMinutes: 0 } }), { ...bad, field: 'schedule.everyMinutes' });
      expectError(await create({ planted: 1 }), { ...bad, field: 'planted' });
      const refused = await client.send('PATCH', `/v1/sources/${source.id}`, {
        body: { credentials: { token: 'planted' } },
      });
      expectError(refused, { ...bad, field: 'credentials.token' });
      // What is stored must not be sent to another address by somebody who need not know it.
      for (const settings of [{}, { baseUrl: `${workspace.baseUrl}/elsewhere/` }])
        expectError(await client.send('PATCH', `/v1/sources/${source.id}`, { body: { settings } }), {
          ...bad,
          field: 'credentials',
        });
      const document = buildDocument({ provider: 'slack', externalId: 'forged', connectorId: source.id });
      expectError(await client.post('/v1/ingest', { documents: [document] }), {
        ...bad,
        field: 'documents[0].connectorId',
      });
      expect(refused.text).not.toContain('planted');
    });

    it('shows a source only to keys of its tenant, provider and action', async () => {
      const stranger = (await createTenant(world(), 'Not sources')).admin;
      const actions = ['sources:read', 'sources:write', 'sync:read', 'sync:write'] as const;
      const other = await createKey(client, { allowedActions: [...actions], allowedProviders: ['notion'] });
      for (const asker of [stranger, other.client]) {
        expect((await asker.call(listSourcesRoute)).data).toEqual([]);
        expect((await asker.call(listSyncRunsRoute)).data).toEqual([]);
        for (const response of await knock(asker, source.id)) expectError(response, NOT_FOUND);
      }
      const reader = (await createKey(client)).client;
      for (const response of await knock(reader, source.id))
        expectError(response, { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
      expect((await readSource(client, source.id)).state).toBe('active');
    });

    describe('events of Slack', () => {
      const path = (): string => `/v1/sources/${source.id}/slack-events`;
      const send = (
        event: unknown,
        fields: { secret?: string; at?: number; path?: string } = {},
      ): Promise<ApiResponse> => {
        const body = JSON.stringify(event);
        const at = String(fields.at ?? Math.floor(Date.now() / 1_000));
        const signature = createHmac('sha256', fields.secret ?? SIGNING_SECRET)
          .update(`v0:${at}:${body}`)
          .digest('hex');
        return world().anonymous.send('POST', fields.path ?? path(), {
          rawBody: body,
          headers: { 'x-slack-request-timestamp': at, 'x-slack-signature': `v0=${signature}` },
        });
      };
      const REFUSED = { status: 401, type: 'AUTH.INVALID_SIGNATURE' } as const;

      it('are believed only when they are signed, alike for sources that are not there', async () => {
        const challenge = { type: 'url_verification', challenge: 'abc' };
        expect(await send(challenge)).toMatchObject({ status: 200, body: { challenge: 'abc' } });
        expectError(await send(challenge, { secret: 'another' }), REFUSED);
        expectError(await send(challenge, { at: Math.floor(Date.now() / 1_000) - 600 }), REFUSED);
        expectError(await send(challenge, { path: `/v1/sources/${UNKNOWN_ID}/slack-events` }), REFUSED);
        expectError(await send(challenge, { path: '/v1/sources/x/slack-events' }), REFUSED);
        expectError(await world().anonymous.post(path(), challenge), REFUSED);
      });

      it('start a sync', async () => {
        const text = 'The new buoy off Skogby is painted orange by Sigrid.';
        workspace.channel('C1').messages.push({ ts: '1760000009.000100', user: 'U1', text });
        const event = { type: 'message', channel: 'C1', ts: '1760000009.000100', text };
        expect(await send({ type: 'event_callback', event })).toMatchObject({ status: 200, body: { ok: true } });
        await waitFor(() => hitOf('Who painted the new buoy?', 'Sigrid'), { what: 'the new message' });
        const { data } = await client.call(listSyncRunsRoute, { query: { sourceId: source.id, limit: 1 } });
        expect(data).toMatchObject([{ trigger: 'event', mode: 'incremental' }]);
      });

      it('have an old message read again, which no sync would look at', async () => {
        const { messages } = workspace.channel('C1');
        messages.push({ ts: '1761000000.000100', user: 'U2', text: 'The harbour master of Skogby is Ylva.' });
        await syncAndWait(client, source.id);
        const message = messages.find(({ ts }) => ts === '1760000001.000100');
        if (message) message.text = 'The lighthouse of Skogby is painted by Torvald every August.';
        expect((await syncAndWait(client, source.id)).counts).toMatchObject({ accepted: 0 });
        const event = { type: 'message', subtype: 'message_changed', channel: 'C1', message };
        expect((await send({ type: 'event_callback', event })).status).toBe(200);
        await waitFor(() => hitOf(LIGHTHOUSE, 'August'), { what: 'the edited message' });
        expect(await hitOf(LIGHTHOUSE, 'June')).toBeUndefined();
      });

      it('that come in a burst make one run, and one after it', async () => {
        const runs = async () =>
          (await client.call(listSyncRunsRoute, { query: { sourceId: source.id, limit: 100 } })).data;
        const settled = () =>
          waitFor(async () => (await readSource(client, source.id)).activeRunId === null, { what: 'no active run' });
        await settled();
        const before = (await runs()).length;
        const event = { type: 'message', channel: 'C1', ts: '1760000009.000100', text: 'again' };
        workspace.hold();
        try {
          const answers = await Promise.all(Array.from({ length: 10 }, () => send({ type: 'event_callback', event })));
          expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
          expect(await runs()).toHaveLength(before + 1);
        } finally {
          workspace.resume();
        }
        await waitFor(async () => (await runs()).length === before + 2, { what: 'the run after it' });
        await settled();
        expect(await runs()).toHaveLength(before + 2);
      });

      it('hide a deleted message with the very next query', async () => {
        const { messages } = workspace.channel('C1');
        messages.splice(
          messages.findIndex(({ ts }) => ts === '1760000009.000100'),
          1,
        );
        workspace.hold();
        try {
          const event = { type: 'message', subtype: 'message_deleted', channel: 'C1', deleted_ts: '1760000009.000100' };
          const { requestId } = await send({ type: 'event_callback', event });
          expect(await hitOf('Who painted the new buoy?', 'Sigrid')).toBeUndefined();
          expect((await readEvents(client, requestId)).map(({ action }) => action)).toEqual([
            'source.event',
            'item.delete',
          ]);
        } finally {
          workspace.resume();
        }
      });
    });

    it('removed, its items are gone with the next query, and then for good', async () => {
      await waitFor(async () => (await readSource(client, source.id)).activeRunId === null, { what: 'the last run' });
      const before = await readSource(client, source.id);
      expect(before.items.total).toBeGreaterThan(0);
      const { body, requestId } = await client.exchange(deleteSourceRoute, { params: { id: source.id } });
      expect(body.data).toMatchObject({
        state: 'deleting',
        credentials: { fields: [], keyId: null },
        items: { total: 0 },
        removal: { itemsTotal: expect.any(Number) },
      });
      expect(await search(LIGHTHOUSE)).toEqual([]);
      await client.call(deleteSourceRoute, { params: { id: source.id } });
      const gone = await waitFor(
        async () => {
          const now = await readSource(client, source.id);
          return now.state === 'deleted' ? now : undefined;
        },
        { what: 'the end of the removal' },
      );
      expect(gone.removal).toEqual({ itemsTotal: body.data.removal?.itemsTotal, itemsRemaining: 0 });
      expect((await client.call(listSourcesRoute)).data).toEqual([]);
      const certificate = await waitForEvent(client, { requestId, action: 'source.removed' });
      expect(certificate).toMatchObject({ targetId: source.id, metadata: { itemsRemaining: 0 } });
      expect((await client.call(deleteSourceRoute, { params: { id: source.id } })).data.state).toBe('deleted');
      expectError(await client.post('/v1/sync-runs', { sourceId: source.id }), {
        status: 409,
        type: 'RESOURCE.CONFLICT',
      });
    });

    it('keeps its encryption keys to itself, and leaves no credential in any log', async () => {
      const { running } = world();
      const { mode } = await stat(join(running.dataDir, 'encryption-keys'));
      expect((mode & 0o777).toString(8)).toBe('600');
      for (const service of ['gateway', 'ingestion-worker'] as const) {
        const log = await running.readLog(service);
        expect(log.length).toBeGreaterThan(0);
        expect(log).not.toContain('planted');
      }
    });
  });
}

/** Every way to reach a source by its id. */
function knock(asker: ApiClient, id: string): Promise<ApiResponse[]> {
  return Promise.all([
    asker.get(`/v1/sources/${id}`),
    asker.send('PATCH', `/v1/sources/${id}`, { body: { name: 'Mine' } }),
    asker.delete(`/v1/sources/${id}`),
    asker.post(`/v1/sources/${id}/check`),
    asker.post('/v1/sync-runs', { sourceId: id }),
  ]);
}
