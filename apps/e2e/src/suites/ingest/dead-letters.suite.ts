import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  deadLettersRoute,
  retryDeadLetterRoute,
  searchRoute,
  sourceItemRoute,
  type DeadLetter,
} from '@candor/contracts';
import { buildDocument, waitFor, type ApiClient } from '@candor/testkit';
import { readActions } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingestAndWait, push, waitUntilDone } from '../../harness/ingest.js';
import { createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

/** Not blank, and yet without any text once it is read. */
const TEXTLESS =
  '<html><head><style>p { color: red }</style></head><body><script>let stove = 1;</script></body></html>';
const ERROR = { type: 'EXTRACT.EMPTY', message: 'The document has no text.' };

/** Documents that can't be read: an end with a reason, never a loop. */
export function describeDeadLetters(world: WorldOf): void {
  describe('dead letters', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Dead letters')).admin;
    });

    const textless = (externalId: string) =>
      buildDocument({ externalId, title: 'Empty page', body: TEXTLESS, mimeType: 'text/html' });
    const letterOf = async (externalId: string): Promise<DeadLetter> => {
      const { data } = await client.call(deadLettersRoute, { query: { limit: 100 } });
      const letter = data.find((entry) => entry.externalId === externalId);
      if (!letter) throw new Error(`there is no dead letter for ${externalId}`);
      return letter;
    };

    it('end an unreadable item with its reason, and leave its neighbors alone', async () => {
      const { accepted, status } = await ingestAndWait(client, [
        textless('empty'),
        buildDocument({ externalId: 'fine', body: 'The neighbor of an empty page is read as ever.' }),
      ]);
      expect(status.counts).toEqual({ failed: 1, indexed: 1 });
      expect(status.items.find((item) => item.externalId === 'empty')).toMatchObject({
        status: 'failed',
        error: ERROR,
      });
      const id = accepted.items[0]?.sourceItemId ?? '';
      const item = await client.call(sourceItemRoute, { params: { id } });
      expect(item).toMatchObject({ status: 'failed', error: ERROR, version: null, chunkIds: [] });
      expect(await letterOf('empty')).toMatchObject({
        requestId: accepted.requestId,
        job: 'item.index',
        sourceItemId: id,
        version: 1,
        error: ERROR,
        retriedAt: null,
      });
      const actions = await readActions(client, accepted.requestId);
      expect(actions.filter((action) => action === 'item.fail')).toEqual(['item.fail']);
      const { hits } = await client.call(searchRoute, { body: { query: 'Empty page', sourceItemId: id } });
      expect(hits).toEqual([]);
    });

    it('go back to work on request, once', async () => {
      const { accepted } = await ingestAndWait(client, [textless('retried')]);
      const letter = await letterOf('retried');
      const { data } = await client.call(retryDeadLetterRoute, { params: { id: letter.id } });
      expect(data).toMatchObject({ id: letter.id, retriedAt: expect.any(String) });
      const status = await waitUntilDone(client, accepted.requestId);
      expect(status.items[0]).toMatchObject({ status: 'failed', error: ERROR });
      // It failed for good again: a second letter, which can be retried in its turn.
      const letters = await waitFor(
        async () => {
          const { data: all } = await client.call(deadLettersRoute, { query: { limit: 100 } });
          const ours = all.filter((entry) => entry.externalId === 'retried');
          return ours.length === 2 ? ours : undefined;
        },
        { what: 'the second dead letter' },
      );
      expect(letters.filter((entry) => entry.retriedAt === null)).toHaveLength(1);
      expectError(await client.post(`/v1/dead-letters/${letter.id}/retry`), {
        status: 409,
        type: 'RESOURCE.CONFLICT',
        message: 'It was retried before, or its item has a newer version or was deleted.',
      });
    });

    it('are overtaken by a better version', async () => {
      await ingestAndWait(client, [textless('mended')]);
      const letter = await letterOf('mended');
      const { status } = await ingestAndWait(client, [
        buildDocument({ externalId: 'mended', title: 'Mended page', body: 'The page of Fossheim has text now.' }),
      ]);
      expect(status.counts).toEqual({ indexed: 1 });
      expectError(await client.post(`/v1/dead-letters/${letter.id}/retry`), { status: 409, type: 'RESOURCE.CONFLICT' });
    });

    it('do not keep the same bad content from being tried again', async () => {
      await ingestAndWait(client, [textless('again')]);
      const again = await push(client, [textless('again')]);
      expect(again.items[0]).toMatchObject({ version: 2, status: 'accepted' });
      expect((await waitUntilDone(client, again.requestId)).counts).toEqual({ failed: 1 });
    });

    it('are listed newest first, in pages', async () => {
      const first = await client.call(deadLettersRoute, { query: { limit: 2 } });
      expect(first.data).toHaveLength(2);
      expect(first.pagination.hasMore).toBe(true);
      const rest = await client.call(deadLettersRoute, {
        query: { limit: 100, cursor: first.pagination.cursor ?? '' },
      });
      expect(rest.pagination).toEqual({ cursor: null, hasMore: false });
      const all = [...first.data, ...rest.data];
      expect(new Set(all.map((letter) => letter.id)).size).toBe(all.length);
      const times = all.map((letter) => letter.createdAt);
      expect(times).toEqual([...times].sort().reverse());
    });

    it('of nobody are not found', async () => {
      expectError(await client.post('/v1/dead-letters/7c2a1a0e-94a5-4c1b-9a3c-2f0b8a3f5d61/retry'), {
        status: 404,
        type: 'RESOURCE.NOT_FOUND',
        message: 'There is no such dead letter.',
      });
    });
  });
}
