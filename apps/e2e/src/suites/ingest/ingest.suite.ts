import { beforeAll, describe, expect, it } from '@jest/globals';
import { ingestionRoute, ingestionsRoute, searchRoute, sourceItemRoute, PROVIDERS } from '@candor/contracts';
import { buildDocument, type ApiClient } from '@candor/testkit';
import { readActions, readEvents, waitForEvent } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { buildDocuments, ingest, ingestAndWait, push, waitUntilDone } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const UNKNOWN_ID = '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55';

/** From a pushed document to a found one, and what is refused whole. */
export function describeIngest(world: WorldOf): void {
  describe('ingest', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Ingest')).admin;
    });

    it('accepts documents of all five providers, indexes them and finds them', async () => {
      const documents = PROVIDERS.map((provider) =>
        buildDocument({
          provider,
          externalId: `stove-${provider}`,
          title: `Tiled stove, note from ${provider}`,
          body: `The tiled stove of Hallsund is fired at dawn, says the note from ${provider}.`,
          accessPolicy: { provider, mode: 'provider_scope' },
        }),
      );
      const { accepted, status } = await ingestAndWait(client, documents);
      expect(
        accepted.items.map(({ externalId, provider, version, status: state }) => [
          externalId,
          provider,
          version,
          state,
        ]),
      ).toEqual(PROVIDERS.map((provider) => [`stove-${provider}`, provider, 1, 'accepted']));
      expect(status).toMatchObject({
        requestId: accepted.requestId,
        done: true,
        counts: { indexed: 5 },
        etaSeconds: 0,
      });
      const { hits } = await client.call(searchRoute, {
        body: { query: 'When is the tiled stove of Hallsund fired?' },
      });
      expect(hits.map((hit) => hit.sourceItemId).sort()).toEqual(
        accepted.items.map((item) => item.sourceItemId).sort(),
      );
    });

    it('shows every state from the first second', async () => {
      const accepted = await push(client, buildDocuments(40, 'Ostby'));
      const first = await client.call(ingestionRoute, { params: { requestId: accepted.requestId } });
      expect(first.items.map((item) => item.externalId).sort()).toEqual(
        accepted.items.map((item) => item.externalId).sort(),
      );
      const total = Object.values(first.counts).reduce((sum, count) => sum + count, 0);
      expect(total).toBe(40);
      const item = await client.call(sourceItemRoute, { params: { id: accepted.items[0]?.sourceItemId ?? '' } });
      expect(['accepted', 'extracting', 'indexing', 'indexed']).toContain(item.status);
      const done = await waitUntilDone(client, accepted.requestId);
      expect(done.counts).toEqual({ indexed: 40 });
    });

    it('lists the requests and sums up what waits', async () => {
      const accepted = await push(client, buildDocuments(30, 'Overview'));
      const during = await client.call(ingestionsRoute, { query: { limit: 1 } });
      expect(during.data[0]).toMatchObject({ requestId: accepted.requestId });
      const waiting = Object.values(during.meta.counts).reduce((sum, count) => sum + count, 0);
      expect(during.meta.oldestSeconds === null).toBe(waiting === 0);
      await waitUntilDone(client, accepted.requestId);
      const after = await client.call(ingestionsRoute, { query: {} });
      expect(after.data[0]).toMatchObject({
        requestId: accepted.requestId,
        done: true,
        counts: { indexed: 30 },
        etaSeconds: 0,
      });
      expect(after.meta).toMatchObject({ counts: {}, oldestSeconds: null, etaSeconds: 0 });
      expect(after.meta.indexedLastMinute).toBeGreaterThanOrEqual(30);
    });

    it('leaves an event for the request, each item accepted and each item indexed', async () => {
      const { accepted } = await ingestAndWait(client, buildDocuments(2, 'Event'));
      await waitForEvent(client, { requestId: accepted.requestId, action: 'item.index' });
      expect(
        (await readActions(client, accepted.requestId)).filter((action) => action !== 'ingestion.read').sort(),
      ).toEqual(['ingest.request', 'item.accept', 'item.accept', 'item.index', 'item.index']);
      const events = await readEvents(client, accepted.requestId);
      const indexed = events.filter((event) => event.action === 'item.index').map((event) => event.targetId);
      expect(indexed.sort()).toEqual(accepted.items.map((item) => item.sourceItemId).sort());
    });

    it('keeps what it was told about an item', async () => {
      const document = buildDocument({
        provider: 'gmail',
        sourceKind: 'message',
        externalId: 'mail-1',
        title: 'Hello 👋 – “quoted”, naïve, 東京, مرحبا',
        body: 'Combining: e\u0301. Emoji: 👩‍👩‍👧‍👦. Right to left: שלום. Math: 𝒳.',
        url: 'https://mail.example/1?a=b&c=d',
        authorName: 'Zoë O’Hara',
        sourceCreatedAt: '2024-02-29T23:59:59Z',
        sourceUpdatedAt: '2024-03-01T01:00:00+01:00',
        validFrom: '2024-01-01T00:00:00Z',
        validUntil: '2099-01-01T00:00:00Z',
        tags: ['b', 'a'],
        accessPolicy: { provider: 'gmail', mode: 'acl', principals: ['user:zoe@x.example'], mailbox: 'zoe@x.example' },
        metadata: { labels: ['INBOX'], nested: { deep: [1, null, true] } },
      });
      const [id = ''] = await ingest(client, [document]);
      const item = await client.call(sourceItemRoute, { params: { id } });
      expect(item).toMatchObject({
        sourceItemId: id,
        externalId: 'mail-1',
        provider: 'gmail',
        sourceKind: 'message',
        connectorId: null,
        title: document.title,
        url: document.url,
        authorName: document.authorName,
        sourceCreatedAt: '2024-02-29T23:59:59.000Z',
        sourceUpdatedAt: '2024-03-01T00:00:00.000Z',
        validity: { validFrom: '2024-01-01T00:00:00.000Z', validUntil: '2099-01-01T00:00:00.000Z' },
        accessPolicy: document.accessPolicy,
        metadata: document.metadata,
        status: 'indexed',
        error: null,
        version: 1,
        versions: [expect.objectContaining({ version: 1, status: 'indexed', supersededAt: null })],
      });
      expect([...item.tags].sort()).toEqual(['a', 'b']);
      expect(item.chunkIds.length).toBeGreaterThan(0);
      const { hits } = await client.call(searchRoute, {
        body: { query: 'Combining Emoji Right to left Math', sourceItemId: id },
      });
      expect(hits[0]?.content).toContain('e\u0301. Emoji: 👩‍👩‍👧‍👦.');
    });

    it.each(['text/plain', 'text/markdown', 'text/html'] as const)('reads %s', async (mimeType) => {
      const bodies = {
        'text/plain': 'The gate of Eikby closes at nine.',
        'text/markdown': '# Gate\n\nThe **gate** of [Eikby](https://x.example) closes at nine.',
        'text/html':
          '<html><head><style>p{color:red}</style><script>alert("gate")</script></head><body><p>The gate of Eikby closes at&nbsp;nine.</p></body></html>',
      };
      const [id = ''] = await ingest(client, [
        { externalId: `gate-${mimeType}`, title: `Gate as ${mimeType}`, mimeType, body: bodies[mimeType] },
      ]);
      const { hits } = await client.call(searchRoute, {
        body: { query: 'When does the gate of Eikby close?', sourceItemId: id },
      });
      const content = hits[0]?.content ?? '';
      expect(content.replace(/\s/g, ' ')).toMatch(/closes at nine\./);
      expect(content).not.toMatch(/alert|color:red|<p>/);
    });

    it('stores nothing when one document is bad, and names its index and field', async () => {
      const documents: unknown[] = buildDocuments(5, 'Broken');
      documents[3] = { ...(documents[3] as object), body: '   ' };
      const response = await client.post('/v1/ingest', { documents });
      expectError(response, {
        status: 400,
        type: 'REQUEST.INVALID',
        field: 'documents[3].body',
        message: 'documents[3].body must contain at least one non-whitespace character',
      });
      expectError(await client.get(`/v1/ingestions/${response.requestId}`), {
        status: 404,
        type: 'RESOURCE.NOT_FOUND',
      });
      expect(await readActions(client, response.requestId)).toEqual(['ingest.request']);
      const { items } = await push(client, buildDocuments(5, 'Broken'));
      expect(items.map((item) => [item.version, item.status])).toEqual(Array(5).fill([1, 'accepted']));
    });

    it('stores nothing when a collection is missing, or two documents are the same item', async () => {
      const [first, second] = buildDocuments(2, 'Refused');
      const missing = await client.post('/v1/ingest', {
        documents: [first, { ...second, collectionIds: [UNKNOWN_ID] }],
      });
      expectError(missing, {
        status: 400,
        type: 'REQUEST.INVALID',
        message: 'documents[1].collectionIds[0] must be an existing collection',
      });
      const twins = await client.post('/v1/ingest', { documents: [first, second, first] });
      expectError(twins, {
        status: 400,
        type: 'REQUEST.INVALID',
        message: 'documents[2].externalId must differ from that of documents[0], which is the same item',
      });
      const { items } = await push(client, [first ?? {}, second ?? {}]);
      expect(items.map((item) => item.version)).toEqual([1, 1]);
    });

    it('keeps items of two connectors apart, also with the same external id', async () => {
      const document = { externalId: 'shared', title: 'Shared', body: 'The same id in two accounts.' };
      const items = [
        ...(await push(client, [document])).items,
        ...(await push(client, [{ ...document, connectorId: UNKNOWN_ID }])).items,
        ...(await push(client, [{ ...document, provider: 'notion', sourceKind: 'document' }])).items,
      ];
      expect(new Set(items.map((item) => item.sourceItemId)).size).toBe(3);
    });

    it('does not let a key write into a provider that it may not read', async () => {
      const { client: limited } = await createKey(client, {
        allowedActions: ['ingest'],
        allowedProviders: ['slack'],
      });
      expect((await push(limited, [{ title: 'Fine', body: 'A note into slack.' }])).items).toHaveLength(1);
      const documents = [buildDocument(), buildDocument({ provider: 'notion', sourceKind: 'document' })];
      expectError(await limited.post('/v1/ingest', { documents }), {
        status: 403,
        type: 'AUTH.ACTION_NOT_ALLOWED',
        message: 'documents[1].provider is not one that this API key may use.',
      });
    });

    it('takes 500 documents in one call, and no more', async () => {
      const documents = buildDocuments(500, 'Bulk');
      const { accepted, status } = await ingestAndWait(client, documents);
      expect(accepted.items).toHaveLength(500);
      expect(status.counts).toEqual({ indexed: 500 });
      for (const index of [0, 250, 499]) {
        const { hits } = await client.call(searchRoute, {
          body: {
            query: `Which code opens locker ${index} of Bulk?`,
            limit: 25,
            sourceItemId: accepted.items[index]?.sourceItemId ?? '',
          },
        });
        expect(hits[0]?.content).toContain(`opens with the code Bulk${index * 37}`);
      }
      const tooMany = await client.post('/v1/ingest', { documents: [...documents, buildDocument()] });
      expectError(tooMany, {
        status: 400,
        type: 'REQUEST.INVALID',
        message: 'documents must have at most 500 items',
      });
    }, 180_000);

    it('gathers what one key sends under one X-Request-Id, and lets no other add to it', async () => {
      const requestId = 'b1a0c3f2-7e44-4d62-9d0c-6d2f4c1b7a10';
      const headers = { 'x-request-id': requestId };
      const send = (sender: ApiClient, externalId: string) =>
        sender.post('/v1/ingest', { documents: [buildDocument({ externalId })] }, headers);
      for (const externalId of ['gathered-1', 'gathered-2'])
        expect((await send(client, externalId)).body).toMatchObject({ requestId, items: [{ externalId }] });
      const created = await client.post('/v1/documents', { title: 'Gathered', content: 'Gathered.' }, headers);
      const { data } = created.body as { data: { id: string } };
      const changed = await client.send('PATCH', `/v1/documents/${data.id}`, { body: { content: 'More.' }, headers });
      expect([created.status, changed.status]).toEqual([202, 200]);
      const { items } = await waitUntilDone(client, requestId);
      expect(items.map(({ sourceItemId, version }) => [sourceItemId === data.id, version])).toEqual([
        [false, 1],
        [false, 1],
        [true, 1],
        [true, 2],
      ]);
      const { client: other } = await createKey(client, { allowedActions: ['ingest'] });
      expectError(await send(other, 'gathered-3'), {
        status: 409,
        type: 'RESOURCE.CONFLICT',
        message: 'An ingest request that was not made with this API key had this X-Request-Id.',
      });
    });
  });
}
