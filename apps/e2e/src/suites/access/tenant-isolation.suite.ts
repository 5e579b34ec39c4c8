import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  auditEventsRoute,
  contextRoute,
  createCollectionRoute,
  createErasureRoute,
  createPromptRoute,
  createSourceRoute,
  deadLettersRoute,
  listApiKeysRoute,
  listGenerationsRoute,
  listCollectionsRoute,
  listPromptsRoute,
  listSourcesRoute,
  listSyncRunsRoute,
  NO_EVIDENCE_ANSWER,
  passageSearchRoute,
  passageSessionRoute,
  reasonRoute,
  ROUTES,
  searchRoute,
  sourceItemRoute,
  startSyncRoute,
} from '@candor/contracts';
import { buildDocument, type ApiClient, type ApiResponse } from '@candor/testkit';
import { ingestAndWait } from '../../harness/ingest.js';
import { proposeConflicts } from '../../harness/proposals.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUERY = 'Who tunes the organ of Hallgrim?';
const UNKNOWN_ID = '9a1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';

interface Possessions {
  admin: ApiClient;
  itemId: string;
  chunkId: string;
  collectionId: string;
  deadLetterId: string;
  promptId: string;
  keyId: string;
  ingestionId: string;
  sessionId: string;
  sourceId: string;
  runId: string;
  generationId: string;
  proposalId: string;
  erasureId: string;
}

/** Two tenants with the same kind of things: neither has any trace of the other's, by whatever way it asks. */
export function describeTenantIsolation(world: WorldOf): void {
  describe('tenants', () => {
    let ours: Possessions;
    let theirs: Possessions;

    async function furnish(name: string): Promise<Possessions> {
      const { admin } = await createTenant(world(), name);
      const { accepted } = await ingestAndWait(admin, [
        buildDocument({
          externalId: 'organ',
          title: 'Organ of Hallgrim',
          body: `The organ of Hallgrim is tuned by ${name}.`,
          accessPolicy: { provider: 'slack', mode: 'provider_scope' },
        }),
        buildDocument({ externalId: 'empty', body: '<script>x</script>', mimeType: 'text/html' }),
      ]);
      const itemId = accepted.items[0]?.sourceItemId ?? '';
      const item = await admin.call(sourceItemRoute, { params: { id: itemId } });
      const letters = await admin.call(deadLettersRoute);
      const source = await admin.call(createSourceRoute, {
        body: {
          provider: 'slack',
          name: `Workspace of ${name}`,
          settings: { baseUrl: 'http://127.0.0.1:9/api/' },
          credentials: { botToken: 'xoxb' },
          schedule: null,
          reconcile: null,
        },
      });
      const nobody = { kind: 'person' as const, authorNames: ['Nobody at all'] };
      const run = await admin.call(startSyncRoute, { body: { sourceId: source.data.id } });
      return {
        admin,
        sourceId: source.data.id,
        runId: run.data.id,
        generationId: (await admin.call(listGenerationsRoute)).data[0]?.id ?? '',
        proposalId: (await proposeConflicts(admin))[0]?.id ?? '',
        erasureId: (await admin.call(createErasureRoute, { body: nobody })).data.erasure?.id ?? '',
        itemId,
        chunkId: item.chunkIds[0] ?? '',
        collectionId: (await admin.call(createCollectionRoute, { body: { name: `Organs of ${name}` } })).data.id,
        deadLetterId: letters.data[0]?.id ?? '',
        promptId: (await admin.call(createPromptRoute, { body: { title: `Ask ${name}`, content: 'Ask.' } })).data.id,
        keyId: (await createKey(admin)).id,
        ingestionId: accepted.requestId,
        sessionId: (await admin.call(passageSessionRoute)).data.sessionId,
      };
    }

    beforeAll(async () => {
      ours = await furnish('Aurland');
      theirs = await furnish('Bergvik');
    }, 240_000);

    // Before anything of the others is asked for: the question itself would be in the trail.
    it('list their own things only', async () => {
      const lists = await Promise.all([
        ours.admin.call(listCollectionsRoute, { query: { limit: 100 } }),
        ours.admin.call(listPromptsRoute, { query: { limit: 100 } }),
        ours.admin.call(listApiKeysRoute, { query: { limit: 100 } }),
        ours.admin.call(deadLettersRoute, { query: { limit: 100 } }),
        ours.admin.call(listSourcesRoute, { query: { limit: 100 } }),
        ours.admin.call(listSyncRunsRoute, { query: { limit: 100 } }),
        ours.admin.call(listGenerationsRoute, { query: { limit: 100 } }),
        ours.admin.call(auditEventsRoute, { query: { limit: 100 } }),
      ]);
      const text = JSON.stringify(lists);
      for (const id of Object.values(theirs).filter((value) => typeof value === 'string'))
        expect(text).not.toContain(id);
      expect(text).not.toContain('Bergvik');
      const { data } = await ours.admin.call(auditEventsRoute, { query: { requestId: theirs.ingestionId } });
      expect(data).toEqual([]);
    });

    it('find their own items only', async () => {
      const { hits } = await ours.admin.call(searchRoute, { body: { query: QUERY, limit: 25 } });
      expect(hits.map((hit) => hit.content)).toEqual(['The organ of Hallgrim is tuned by Aurland.']);
      const contract = await ours.admin.send('POST', contextRoute.path, {
        body: { query: QUERY, limit: 25, contractVersion: '1.1' },
      });
      expect(contract.text).not.toContain('Bergvik');
      expect(contract.text).not.toContain(theirs.itemId);
      const { data } = await ours.admin.call(passageSearchRoute, { body: { query: QUERY, limit: 50 } });
      expect(data.results.map((passage) => passage.documentId)).toEqual([ours.itemId]);
      const answer = await ours.admin.call(reasonRoute, { body: { query: QUERY } });
      expect(answer.data.answer).toContain('tuned by Aurland');
      expect(answer.data.answer).not.toContain('Bergvik');
    });

    it("find nothing in a scope that is another tenant's", async () => {
      for (const scope of [{ sourceItemId: theirs.itemId }, { collectionId: theirs.collectionId }]) {
        const { hits } = await ours.admin.call(searchRoute, { body: { query: QUERY, ...scope } });
        expect(hits).toEqual([]);
      }
      const { data } = await ours.admin.call(passageSearchRoute, { body: { query: QUERY, documentId: theirs.itemId } });
      expect(data.results).toEqual([]);
      const answer = await ours.admin.call(reasonRoute, { body: { query: QUERY, documentId: theirs.itemId } });
      expect(answer.data).toMatchObject({ answer: NO_EVIDENCE_ANSWER, meta: { chunksGathered: 0 } });
    });

    /** Each route that names something, with the id to name and a body it would take. */
    const NAMED: Record<string, (owner: Possessions | null) => { path: string; body?: unknown }> = {
      'GET /v1/source-items/:id': (owner) => ({ path: `/v1/source-items/${owner?.itemId ?? UNKNOWN_ID}` }),
      'DELETE /v1/source-items/:id': (owner) => ({ path: `/v1/source-items/${owner?.itemId ?? UNKNOWN_ID}` }),
      'GET /v1/pd/read/:chunkId': (owner) => ({ path: `/v1/pd/read/${owner?.chunkId ?? UNKNOWN_ID}` }),
      'GET /v1/ingestions/:requestId': (owner) => ({ path: `/v1/ingestions/${owner?.ingestionId ?? UNKNOWN_ID}` }),
      'POST /v1/dead-letters/:id/retry': (owner) => ({
        path: `/v1/dead-letters/${owner?.deadLetterId ?? UNKNOWN_ID}/retry`,
      }),
      'PATCH /v1/api-keys/:id': (owner) => ({
        path: `/v1/api-keys/${owner?.keyId ?? UNKNOWN_ID}`,
        body: { name: 'Taken' },
      }),
      'POST /v1/api-keys/:id/rotate': (owner) => ({ path: `/v1/api-keys/${owner?.keyId ?? UNKNOWN_ID}/rotate` }),
      'DELETE /v1/api-keys/:id': (owner) => ({ path: `/v1/api-keys/${owner?.keyId ?? UNKNOWN_ID}` }),
      'GET /v1/collections/:id': (owner) => ({ path: `/v1/collections/${owner?.collectionId ?? UNKNOWN_ID}` }),
      'PATCH /v1/collections/:id': (owner) => ({
        path: `/v1/collections/${owner?.collectionId ?? UNKNOWN_ID}`,
        body: { name: 'Taken' },
      }),
      'DELETE /v1/collections/:id': (owner) => ({ path: `/v1/collections/${owner?.collectionId ?? UNKNOWN_ID}` }),
      'GET /v1/collections/:id/items': (owner) => ({
        path: `/v1/collections/${owner?.collectionId ?? UNKNOWN_ID}/items`,
      }),
      'POST /v1/collections/:id/items': (owner) => ({
        path: `/v1/collections/${owner?.collectionId ?? UNKNOWN_ID}/items`,
        body: { itemIds: [UNKNOWN_ID] },
      }),
      'GET /v1/sources/:id': (owner) => ({ path: `/v1/sources/${owner?.sourceId ?? UNKNOWN_ID}` }),
      'GET /v1/documents/:id': (owner) => ({ path: `/v1/documents/${owner?.itemId ?? UNKNOWN_ID}` }),
      'PATCH /v1/documents/:id': (owner) => ({
        path: `/v1/documents/${owner?.itemId ?? UNKNOWN_ID}`,
        body: { title: 'Taken' },
      }),
      'GET /v1/documents/:id/versions': (owner) => ({
        path: `/v1/documents/${owner?.itemId ?? UNKNOWN_ID}/versions`,
      }),
      'POST /v1/documents/:id/restore': (owner) => ({
        path: `/v1/documents/${owner?.itemId ?? UNKNOWN_ID}/restore`,
        body: { versionId: UNKNOWN_ID },
      }),
      'GET /v1/erasures/:id': (owner) => ({ path: `/v1/erasures/${owner?.erasureId ?? UNKNOWN_ID}` }),
      'GET /v1/prompts/:id': (owner) => ({ path: `/v1/prompts/${owner?.promptId ?? UNKNOWN_ID}` }),
      'PATCH /v1/prompts/:id': (owner) => ({
        path: `/v1/prompts/${owner?.promptId ?? UNKNOWN_ID}`,
        body: { title: 'Taken' },
      }),
      'DELETE /v1/prompts/:id': (owner) => ({ path: `/v1/prompts/${owner?.promptId ?? UNKNOWN_ID}` }),
      'GET /v1/prompts/:id/versions': (owner) => ({ path: `/v1/prompts/${owner?.promptId ?? UNKNOWN_ID}/versions` }),
      'POST /v1/prompts/:id/restore': (owner) => ({
        path: `/v1/prompts/${owner?.promptId ?? UNKNOWN_ID}/restore`,
        body: { versionId: UNKNOWN_ID },
      }),
      'DELETE /v1/documents/:id': (owner) => ({ path: `/v1/documents/${owner?.itemId ?? UNKNOWN_ID}` }),
      'PATCH /v1/sources/:id': (owner) => ({
        path: `/v1/sources/${owner?.sourceId ?? UNKNOWN_ID}`,
        body: { name: 'Taken' },
      }),
      'DELETE /v1/sources/:id': (owner) => ({ path: `/v1/sources/${owner?.sourceId ?? UNKNOWN_ID}` }),
      'POST /v1/sources/:id/check': (owner) => ({ path: `/v1/sources/${owner?.sourceId ?? UNKNOWN_ID}/check` }),
      'GET /v1/sync-runs/:id': (owner) => ({ path: `/v1/sync-runs/${owner?.runId ?? UNKNOWN_ID}` }),
      'POST /v1/sync-runs/:id/cancel': (owner) => ({ path: `/v1/sync-runs/${owner?.runId ?? UNKNOWN_ID}/cancel` }),
      'GET /v1/generations/:id': (owner) => ({ path: `/v1/generations/${owner?.generationId ?? UNKNOWN_ID}` }),
      'POST /v1/generations/:id/promote': (owner) => ({
        path: `/v1/generations/${owner?.generationId ?? UNKNOWN_ID}/promote`,
      }),
      'POST /v1/generations/:id/retire': (owner) => ({
        path: `/v1/generations/${owner?.generationId ?? UNKNOWN_ID}/retire`,
      }),
      'POST /v1/generations/:id/reconcile': (owner) => ({
        path: `/v1/generations/${owner?.generationId ?? UNKNOWN_ID}/reconcile`,
      }),
      'POST /v1/proposals/:id/approve': (owner) => ({
        path: `/v1/proposals/${owner?.proposalId ?? UNKNOWN_ID}/approve`,
      }),
      'POST /v1/proposals/:id/reject': (owner) => ({
        path: `/v1/proposals/${owner?.proposalId ?? UNKNOWN_ID}/reject`,
      }),
      'PUT /v1/collections/:id/items': (owner) => ({
        path: `/v1/collections/${owner?.collectionId ?? UNKNOWN_ID}/items`,
        body: { itemIds: [UNKNOWN_ID] },
      }),
    };

    it('are proven for every route that names something', () => {
      // Signed ones say nothing to whoever can't sign: tested with the sources.
      const named = ROUTES.filter(({ path, action }) => path.includes(':') && action !== 'signed');
      const routes = named.map(({ method, path }) => `${method} ${path}`);
      expect(Object.keys(NAMED).sort()).toEqual(routes.sort());
    });

    it.each(Object.keys(NAMED))("say the same of another tenant's thing as of none: %s", async (route) => {
      const ask = async (owner: Possessions | null): Promise<ApiResponse> => {
        const { path, body } = NAMED[route]?.(owner) ?? { path: '' };
        return ours.admin.send(route.split(' ')[0] ?? '', path, body === undefined ? {} : { body });
      };
      const [absent, foreign] = [await ask(null), await ask(theirs)];
      expect(absent.status).toBe(404);
      expect(withoutIds(foreign)).toEqual(withoutIds(absent));
    });

    it('put none of their items into each other’s collections, search in no session and read around no passage of each other’s', async () => {
      const membership = (itemId: string) =>
        ours.admin.post(`/v1/collections/${ours.collectionId}/items`, { itemIds: [itemId] });
      expect(withoutIds(await membership(theirs.itemId))).toEqual(withoutIds(await membership(UNKNOWN_ID)));
      const search = (sessionId: string) => ours.admin.post(passageSearchRoute.path, { query: QUERY, sessionId });
      const foreign = await search(theirs.sessionId);
      expect(foreign.status).toBe(404);
      expect(withoutIds(foreign)).toEqual(withoutIds(await search(UNKNOWN_ID)));
      const expand = (chunkId: string) => ours.admin.post('/v1/pd/expand', { chunkId, direction: 'up' });
      expect((await expand(theirs.chunkId)).status).toBe(404);
      expect(withoutIds(await expand(theirs.chunkId))).toEqual(withoutIds(await expand(UNKNOWN_ID)));
      const ingest = (collectionId: string) =>
        ours.admin.post('/v1/ingest', { documents: [buildDocument({ collectionIds: [collectionId] })] });
      expect(withoutIds(await ingest(theirs.collectionId))).toEqual(withoutIds(await ingest(UNKNOWN_ID)));
    });

    it('keep all of their things through that', async () => {
      expect((await theirs.admin.get(`/v1/source-items/${theirs.itemId}`)).status).toBe(200);
      expect((await theirs.admin.get(`/v1/collections/${theirs.collectionId}`)).text).toContain('Organs of Bergvik');
      expect((await theirs.admin.get(`/v1/prompts/${theirs.promptId}`)).text).toContain('Ask Bergvik');
      const { data } = await theirs.admin.call(listApiKeysRoute, { query: { limit: 100 } });
      expect((await theirs.admin.get(`/v1/sources/${theirs.sourceId}`)).text).toContain('Workspace of Bergvik');
      expect(data.find((key) => key.id === theirs.keyId)).toMatchObject({ name: 'Test key', revokedAt: null });
    });
  });
}

function withoutIds({ status, text, requestId }: ApiResponse): { status: number; text: string } {
  return { status, text: text.replaceAll(requestId, '') };
}
