import { beforeAll, describe, expect, it } from '@jest/globals';
import { listCollectionsRoute, listErasuresRoute, sourceItemRoute, type IngestResponse } from '@candor/contracts';
import { buildDocument, type ApiClient, type ApiResponse } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { buildDocuments } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

/** `Idempotency-Key`: the same request twice has one effect and one response. */
export function describeIdempotency(world: WorldOf): void {
  describe('Idempotency-Key', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Idempotency')).admin;
    });

    const send = (documents: unknown[], key: string, sender = client): Promise<ApiResponse> =>
      sender.post('/v1/ingest', { documents }, { 'idempotency-key': key });

    it('gives the stored response to the same key and body', async () => {
      const documents = [buildDocument({ externalId: 'once' })];
      const first = await send(documents, 'key-1');
      const second = await send(documents, 'key-1');
      expect([first.status, second.status]).toEqual([202, 202]);
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('idempotency-replayed')).toBe('true');
      // Without the key it would have been skipped, under a request id of its own.
      expect((first.body as IngestResponse).items[0]?.status).toBe('accepted');
      expect(second.requestId).not.toBe(first.requestId);
      const [event] = await readEvents(client, second.requestId);
      expect(event).toMatchObject({ action: 'ingest.request', metadata: { idempotentReplay: true } });
    });

    it('refuses the same key with another body', async () => {
      await send([buildDocument({ externalId: 'first' })], 'key-2');
      const response = await send([buildDocument({ externalId: 'second' })], 'key-2');
      expectError(response, {
        status: 409,
        type: 'IDEMPOTENCY.KEY_REUSED',
        message: 'This Idempotency-Key was used with another request.',
      });
    });

    it('lets one of many concurrent requests through', async () => {
      const documents = buildDocuments(100, 'Concurrent');
      const responses = await Promise.all(Array.from({ length: 8 }, () => send(documents, 'key-3')));
      const accepted = responses.filter((response) => response.status === 202);
      expect(accepted.length).toBeGreaterThanOrEqual(1);
      for (const response of responses.filter(({ status }) => status !== 202)) {
        expectError(response, { status: 409, type: 'IDEMPOTENCY.IN_PROGRESS' });
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      for (const { body } of accepted) expect(body).toEqual(accepted[0]?.body);
      const { items } = accepted[0]?.body as IngestResponse;
      const item = await client.call(sourceItemRoute, { params: { id: items[0]?.sourceItemId ?? '' } });
      expect(item.versions).toHaveLength(1);
    });

    it('frees the key of a request that was refused', async () => {
      expectError(await send([buildDocument({ title: 'Fine' }), {}], 'key-4'), {
        status: 400,
        type: 'REQUEST.INVALID',
      });
      expect((await send([buildDocument()], 'key-4')).status).toBe(202);
    });

    it('belongs to one API key', async () => {
      const other = await createKey(client, { allowedActions: ['ingest'] });
      const mine = await send([buildDocument({ externalId: 'mine' })], 'key-5');
      const theirs = await send([buildDocument({ externalId: 'theirs' })], 'key-5', other.client);
      expect([mine.status, theirs.status]).toEqual([202, 202]);
    });

    it('works for collections, which would else be made twice', async () => {
      const make = () => client.post('/v1/collections', { name: 'Made once' }, { 'idempotency-key': 'key-6' });
      const [first, second] = [await make(), await make()];
      expect(first.status).toBe(201);
      expect(second.body).toEqual(first.body);
      const { data } = await client.call(listCollectionsRoute, { query: { search: 'Made once' } });
      expect(data).toHaveLength(1);
    });

    it.each([
      ['begun', false],
      ['counted', true],
    ])('works for an erasure that is %s', async (_, dryRun) => {
      const body = { kind: 'person', authorNames: ['Nobody in particular'], dryRun };
      const erase = () => client.post('/v1/erasures', body, { 'idempotency-key': `erase-${dryRun}` });
      const [first, second] = [await erase(), await erase()];
      expect([first.status, second.status]).toEqual([202, 202]);
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('idempotency-replayed')).toBe('true');
      const { data } = await client.call(listErasuresRoute);
      expect(data).toHaveLength(1);
    });

    it('is not taken where a secret is answered: each call makes another one', async () => {
      const rotate = () => client.post(`/v1/api-keys/${rotated.id}/rotate`, {}, { 'idempotency-key': 'rotate' });
      const rotated = await createKey(client);
      const [first, second] = [await rotate(), await rotate()];
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body).not.toEqual(first.body);
    });

    it.each([
      ['empty', ''],
      ['too long', 'k'.repeat(256)],
      ['with a space', 'two words'],
    ])('refuses a key that is %s', async (_, key) => {
      expectError(await send([buildDocument()], key), {
        status: 400,
        type: 'REQUEST.INVALID',
        message: 'Idempotency-Key must have 1 to 255 visible ASCII characters',
      });
    });
  });
}
