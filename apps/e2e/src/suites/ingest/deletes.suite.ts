import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  contextRoute,
  createCollectionRoute,
  deleteSourceItemRoute,
  getCollectionRoute,
  listCollectionItemsRoute,
  NO_EVIDENCE_ANSWER,
  passageSearchRoute,
  passageSessionRoute,
  reasonRoute,
  searchRoute,
  sourceItemRoute,
} from '@candor/contracts';
import { buildDocument, waitFor, type ApiClient } from '@candor/testkit';
import { readEvents, waitForEvent } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingest, ingestOne, push, waitUntilDone } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUERY = 'What is the password of the vault in Skogby?';
const SECRET = 'The password of the vault in Skogby is marzipan.';
const UNKNOWN_ID = '7c2a1a0e-94a5-4c1b-9a3c-2f0b8a3f5d61';
const NOT_FOUND = { status: 404, type: 'RESOURCE.NOT_FOUND', message: 'There is no such source item.' } as const;

/** Deleted means gone: from the next request on, everywhere, and certified. */
export function describeDeletes(world: WorldOf): void {
  describe('deletes', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Deletes')).admin;
    });

    const vault = (externalId: string) =>
      buildDocument({
        externalId,
        title: 'Vault in Skogby',
        body: SECRET,
        accessPolicy: { provider: 'slack', mode: 'provider_scope' },
      });
    const remove = (id: string) => client.exchange(deleteSourceItemRoute, { params: { id } });

    it('hides an item from the very next request, wherever one asks', async () => {
      const { data } = await client.call(createCollectionRoute, { body: { name: 'Vaults' } });
      const collectionId = data.id;
      const id = await ingestOne(client, { ...vault('gone'), collectionIds: [collectionId] });
      const { chunkIds } = await client.call(sourceItemRoute, { params: { id } });
      const { sessionId } = (await client.call(passageSessionRoute)).data;
      const recorded = new Date().toISOString();
      expect((await client.call(reasonRoute, { body: { query: QUERY } })).data.answer).toContain('marzipan');

      const deleted = await remove(id);
      expect(deleted.body.sourceItemId).toBe(id);

      const { hits } = await client.call(searchRoute, { body: { query: QUERY } });
      expect(hits).toEqual([]);
      const context = await client.call(contextRoute, { body: { query: QUERY, contractVersion: '1.1' } });
      expect(context.hits).toEqual([]);
      expect(context.exclusions.every(({ type }) => type === 'no_results')).toBe(true);
      expect(context.limitations.map(({ code }) => code)).toEqual(['no_context']);
      const asOf = await client.call(searchRoute, { body: { query: QUERY, knownAsOf: recorded } });
      expect(asOf.hits).toEqual([]);
      const passages = await client.call(passageSearchRoute, { body: { query: QUERY, sessionId } });
      expect(passages.data.results).toEqual([]);
      for (const scope of [{}, { documentId: id }, { collectionId }]) {
        const reasoned = await client.call(reasonRoute, { body: { query: QUERY, ...scope } });
        expect(reasoned.data.answer).toBe(NO_EVIDENCE_ANSWER);
      }
      expectError(await client.get(`/v1/source-items/${id}`), NOT_FOUND);
      expectError(await client.get(`/v1/pd/read/${chunkIds[0]}`), { status: 404, type: 'RESOURCE.NOT_FOUND' });
      expect((await client.call(listCollectionItemsRoute, { params: { id: collectionId } })).data).toEqual([]);
      expect((await client.call(getCollectionRoute, { params: { id: collectionId } })).data.itemCount).toBe(0);
    });

    it('certifies when the last chunk was gone, under the request that asked for it', async () => {
      const id = await ingestOne(client, vault('certified'));
      const { requestId } = await remove(id);
      const certificate = await waitForEvent(client, { requestId, action: 'item.deleted' });
      expect(certificate).toMatchObject({
        outcome: 'succeeded',
        targetType: 'source_item',
        targetId: id,
        metadata: { remainingChunks: 0 },
      });
      const events = await readEvents(client, requestId);
      expect(events.map((event) => event.action)).toEqual(['item.delete', 'item.deleted']);
      expect(JSON.stringify(events)).not.toContain('marzipan');
    });

    it('can be said again: deleting, then deleted, without another certificate', async () => {
      const id = await ingestOne(client, vault('twice'));
      const first = await remove(id);
      await waitForEvent(client, { requestId: first.requestId, action: 'item.deleted' });
      const second = await remove(id);
      expect(second.body).toEqual({ sourceItemId: id, status: 'deleted' });
      expect((await readEvents(client, second.requestId)).map((event) => event.action)).toEqual(['item.delete']);
    });

    it('makes a new item of a document that is pushed again', async () => {
      const id = await ingestOne(client, vault('back'));
      await remove(id);
      const [again = ''] = await ingest(client, [vault('back')]);
      expect(again).not.toBe(id);
      const { hits } = await client.call(searchRoute, { body: { query: QUERY } });
      expect(hits.map((hit) => hit.sourceItemId)).toEqual([again]);
      expect((await client.call(sourceItemRoute, { params: { id: again } })).version).toBe(1);
      await remove(again);
    });

    it('wins over the indexing of the same item', async () => {
      const accepted = await push(client, [vault('raced')]);
      const id = accepted.items[0]?.sourceItemId ?? '';
      const { requestId } = await remove(id);
      await waitForEvent(client, { requestId, action: 'item.deleted' });
      await waitUntilDone(client, accepted.requestId);
      await waitFor(async () => (await client.call(searchRoute, { body: { query: QUERY } })).hits.length === 0, {
        what: 'no hit',
        timeoutMs: 5_000,
      });
      expectError(await client.get(`/v1/source-items/${id}`), NOT_FOUND);
    });

    it('is nothing to do for an item that never was, or is out of reach', async () => {
      expectError(await client.delete(`/v1/source-items/${UNKNOWN_ID}`), NOT_FOUND);
      const id = await ingestOne(client, {
        ...vault('kept'),
        accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:a@vault.example'] },
      });
      const outsider = await createKey(client, {
        allowedActions: ['documents:write'],
        principals: ['user:b@vault.example'],
      });
      expectError(await outsider.client.delete(`/v1/source-items/${id}`), NOT_FOUND);
      const otherProvider = await createKey(client, {
        allowedActions: ['documents:write'],
        allowedProviders: ['notion'],
      });
      expectError(await otherProvider.client.delete(`/v1/source-items/${id}`), NOT_FOUND);
      expect((await client.get(`/v1/source-items/${id}`)).status).toBe(200);
    });
  });
}
