import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  auditChainRoute,
  auditEventsRoute,
  createErasureRoute,
  createPromptRoute,
  createSourceRoute,
  erasureRoute,
  feedbackRoute,
  listTenantsRoute,
  tenantRoute,
  updateTenantRoute,
  verifyAuditRoute,
  type AuditEventView,
  type Erasure,
} from '@candor/contracts';
import { verifyExport } from '@candor/audit/chain';
import { buildDocument, readStoredText, waitFor, type ApiClient } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { findInIndex } from '../../harness/index-contents.js';
import { ingestAndWait } from '../../harness/ingest.js';
import { readRedisText } from '../../harness/redis-contents.js';
import { createKey, createTenant, type Tenant } from '../../harness/tenants.js';
import { upload } from '../../harness/upload.js';
import type { WorldOf } from '../../harness/world.js';

const draw = (): string => `vellumfinch${randomUUID().replaceAll('-', '')}`;

/** What an auditor asks for, and what a tenant may ask to be gone. */
export function describeCompliance(world: WorldOf): void {
  describe('compliance', () => {
    const erased = (client: ApiClient, id: string): Promise<Erasure> =>
      waitFor(
        async () => {
          const { data } = await client.call(erasureRoute, { params: { id } });
          return data.state === 'done' && data;
        },
        { what: 'the end of the erasure', timeoutMs: 60_000 },
      );
    const eventsOf = async (client: ApiClient, query: object): Promise<AuditEventView[]> =>
      (await client.call(auditEventsRoute, { query: { limit: 100, ...query } })).data;
    async function* linesOf(text: string): AsyncGenerator<string> {
      yield* text.trimEnd().split('\n');
    }

    describe('the sealed audit trail', () => {
      let tenant: Tenant;
      let requestId: string;

      beforeAll(async () => {
        tenant = await createTenant(world(), 'Sealed');
        requestId = (await tenant.admin.post('/v1/search', { query: 'what was decided?' })).requestId;
      });

      it('seals each event within seconds, says so at the event, and verifies', async () => {
        const sealed = await waitFor(
          async () => (await eventsOf(tenant.admin, { requestId })).find(({ seal }) => seal.state === 'sealed'),
          { what: 'the seal of an event', timeoutMs: 60_000 },
        );
        expect(sealed).toMatchObject({ erased: false, metadata: { query: 'what was decided?' } });
        expect(sealed.seal.batch).toBeGreaterThan(0);
        const { data: chain } = await tenant.admin.call(auditChainRoute);
        expect(chain).toMatchObject({ tenantId: tenant.id, head: { signature: expect.any(String) } });
        expect(chain.keys.map(({ keyId }) => keyId)).toContain(chain.head?.keyId);
        const { data } = await tenant.admin.call(verifyAuditRoute, { body: {} });
        expect(data).toMatchObject({ intact: true, findings: [], nextBatch: null });
        // The request that verifies is in the trail itself, and can't be sealed yet.
        expect(data.events).toBeGreaterThan(0);
      });

      it('exports what anybody can verify, with trusted keys and kept heads', async () => {
        const { data: chain } = await tenant.admin.call(auditChainRoute);
        const { status, text, headers } = await tenant.admin.get('/v1/audit-events/export');
        expect(status).toBe(200);
        expect(headers.get('content-type')).toContain('application/x-ndjson');
        const trustedKeys = new Map(chain.keys.map(({ keyId, publicKey }) => [keyId, publicKey]));
        const keptHeads = chain.head ? [chain.head] : [];
        expect(await verifyExport(linesOf(text), { trustedKeys, keptHeads })).toMatchObject({
          intact: true,
          tenantId: tenant.id,
        });
        const forged = text.replace('what was decided?', 'what was denied?');
        const { findings } = await verifyExport(linesOf(forged), { trustedKeys });
        expect(findings.map(({ type }) => type)).toEqual(['event_altered']);
        expect(text).not.toContain((await eventsOf(world().admin, {}))[0]?.id ?? 'no event');
      });

      it('needs the action for it', async () => {
        const { client } = await createKey(tenant.admin, { allowedActions: ['search'] });
        for (const path of ['/v1/audit-events/chain', '/v1/audit-events/export'])
          expectError(await client.get(path), { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
      });
    });

    describe('the settings of a tenant', () => {
      it('record a consent as an event of its own, and only the default tenant has one unsaid', async () => {
        const { admin } = await createTenant(world(), 'Settings');
        expect((await admin.call(tenantRoute)).data).toMatchObject({
          externalModels: null,
          externalModelsAllowed: false,
          retention: { queryText: null, auditEvents: null },
        });
        expect((await world().admin.call(tenantRoute)).data.externalModelsAllowed).toBe(true);
        const given = await admin.call(updateTenantRoute, {
          body: { externalModels: true, retention: { queryText: 30, feedback: 10 } },
        });
        expect(given.data).toMatchObject({ externalModelsAllowed: true, retention: { queryText: 30, feedback: 10 } });
        await admin.call(updateTenantRoute, { body: { externalModels: false, retention: { feedback: null } } });
        expect((await admin.call(tenantRoute)).data.retention).toMatchObject({ queryText: 30, feedback: null });
        const events = await eventsOf(admin, {});
        expect(events.map(({ action }) => action).filter((action) => action.startsWith('consent.'))).toEqual([
          'consent.withdraw',
          'consent.give',
        ]);
      });

      it('are listed by the first key alone', async () => {
        const { admin, id } = await createTenant(world(), 'Listed');
        expectError(await admin.get('/v1/tenants'), { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
        const names: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const page = await world().admin.call(listTenantsRoute, {
            query: { limit: 100, ...(cursor ? { cursor } : {}) },
          });
          names.push(...page.data.map((tenant) => tenant.id));
          cursor = page.pagination.cursor;
        }
        expect(names).toContain(id);
      });
    });

    describe('the erasure of a person', () => {
      it('takes what names the person and what was asked, and the chain still verifies', async () => {
        const { admin } = await createTenant(world(), 'Employer');
        const name = draw();
        const question = draw();
        const person = await createKey(admin, { name, principals: [`user:${name}@x.example`] });
        await ingestAndWait(admin, [buildDocument({ title: 'Minutes', body: 'Minutes of May.', authorName: name })]);
        const { requestId } = await person.client.post('/v1/search', { query: question });
        await person.client.call(feedbackRoute, { body: { requestId, rating: 'negative', note: name } });
        const body = { kind: 'person' as const, apiKeyIds: [person.id], authorNames: [name] };
        const tried = await admin.call(createErasureRoute, { body: { ...body, dryRun: true } });
        expect(tried.data).toMatchObject({ erasure: null, found: { feedback: 1, api_keys: 1, source_items: 1 } });
        expect((await person.client.post('/v1/search', { query: 'still there' })).status).toBe(200);
        const { data } = await admin.call(createErasureRoute, { body });
        const done = await erased(admin, data.erasure?.id ?? '');
        expect(done.counts).toMatchObject({
          feedback: 1,
          api_keys: 1,
          source_items: 1,
          audit_texts: expect.any(Number),
        });
        expect((await person.client.post('/v1/search', { query: 'gone' })).status).toBe(401);
        const [event] = await eventsOf(admin, { requestId, action: 'search.query' });
        expect(event).toMatchObject({ erased: true, actorApiKeyId: person.id });
        expect(JSON.stringify(event)).not.toContain(question);
        for (const [table, text] of await readStoredText(world().stores.databaseUrl))
          for (const planted of [name, question]) expect([table, text.includes(planted)]).toEqual([table, false]);
        await waitFor(async () => (await admin.call(auditChainRoute)).data.unsealedEvents < 3, { what: 'the seal' });
        expect((await admin.call(verifyAuditRoute, { body: {} })).data).toMatchObject({ intact: true });
      });
    });

    describe('the erasure of a tenant', () => {
      it('is refused for the own tenant of the installation, without its name, and for others', async () => {
        const { admin, id } = await createTenant(world(), 'Guarded');
        const own = await world().admin.call(tenantRoute);
        expectError(await world().admin.post('/v1/erasures', { kind: 'tenant', confirm: own.data.name }), {
          status: 409,
          type: 'RESOURCE.CONFLICT',
        });
        expectError(await admin.post('/v1/erasures', { kind: 'tenant', confirm: 'guarded' }), {
          status: 400,
          type: 'REQUEST.INVALID',
          message: "confirm must be the tenant's name",
          field: 'confirm',
        });
        const other = await createTenant(world(), 'Stranger');
        expectError(await other.admin.post('/v1/erasures', { kind: 'tenant', tenantId: id, confirm: 'Guarded' }), {
          status: 403,
          type: 'AUTH.ACTION_NOT_ALLOWED',
        });
      });

      it('leaves nothing that answers, and no trace of what it held in tables, queue or index', async () => {
        const planted = {
          name: draw(),
          text: draw(),
          file: draw(),
          prompt: draw(),
          query: draw(),
          source: draw(),
          id: draw(),
        };
        const { admin, id } = await createTenant(world(), planted.name);
        const { accepted } = await ingestAndWait(admin, [
          buildDocument({ externalId: planted.id, title: planted.text, body: `It says ${planted.text}.` }),
        ]);
        await upload(admin, { bytes: `It says ${planted.file}.`, name: `${planted.file}.txt` });
        await admin.call(createPromptRoute, { body: { title: planted.prompt, content: planted.prompt } });
        await admin.call(createSourceRoute, {
          body: {
            provider: 'slack',
            name: planted.source,
            settings: { baseUrl: 'http://127.0.0.1:9/api/' },
            credentials: { botToken: `xoxb-${planted.source}` },
            schedule: null,
            reconcile: null,
          },
        });
        const asked = await admin.post('/v1/search', { query: planted.query });
        await admin.call(feedbackRoute, {
          body: { requestId: asked.requestId, rating: 'positive', note: planted.query },
        });
        const before = [...(await readStoredText(world().stores.databaseUrl))].map(([, text]) => text).join('\n');
        for (const text of Object.values(planted)) expect(before).toContain(text);
        const inIndex = [planted.text, planted.file];
        expect(await findInIndex(world(), id, inIndex)).not.toEqual([]);

        const body = { kind: 'tenant' as const, tenantId: id, confirm: planted.name };
        const { data } = await world().admin.call(createErasureRoute, { body });
        for (const [method, path] of [
          ['GET', `/v1/source-items/${accepted.items[0]?.sourceItemId}`],
          ['POST', '/v1/search'],
          ['GET', '/v1/audit-events'],
        ] as const)
          expect(
            (await admin.send(method, path, method === 'POST' ? { body: { query: planted.text } } : {})).status,
          ).toBe(401);
        const done = await erased(world().admin, data.erasure?.id ?? '');
        expect(done.counts).toMatchObject({ indexes: 1, item_versions: 2, item_files: 1, prompts: 1, feedback: 1 });

        for (const [table, text] of await readStoredText(world().stores.databaseUrl))
          for (const text_ of Object.values(planted))
            expect([table, text_, text.includes(text_)]).toEqual([table, text_, false]);
        expect(await findInIndex(world(), id, inIndex)).toEqual([]);
        const { redisUrl } = world().stores;
        const traces = [...Object.values(planted), id];
        for (const [key, text] of redisUrl === null ? [] : await readRedisText(redisUrl))
          expect([key, traces.filter((trace) => `${key} ${text}`.includes(trace))]).toEqual([key, []]);
        const [certificate] = await eventsOf(world().admin, { action: 'tenant.erased' });
        expect(certificate).toMatchObject({ targetId: done.id, metadata: { tenantId: id, remaining: 0 } });
        expectError(await world().admin.post('/v1/erasures', body), { status: 404, type: 'RESOURCE.NOT_FOUND' });
      });
    });
  });
}
