import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  contextRoute,
  readChunkRoute,
  searchRoute,
  sourceItemRoute,
  type Hit,
  type IngestDocument,
} from '@candor/contracts';
import { buildDocument, type ApiClient, type DocumentFields } from '@candor/testkit';
import { ingest, ingestAndWait, push, waitUntilDone } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUERY = 'When does the mill of Orrefall open?';

/** What a second push of the same item does: nothing, a new version, or new metadata. */
export function describeVersions(world: WorldOf): void {
  describe('versions', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Versions')).admin;
    });

    const mill = (fields: DocumentFields): IngestDocument =>
      buildDocument({
        title: 'Mill of Orrefall',
        body: 'The mill of Orrefall opens at seven.',
        accessPolicy: { provider: 'slack', mode: 'provider_scope' },
        ...fields,
      });
    const find = async (itemId: string, reader = client): Promise<Hit[]> =>
      (await reader.call(searchRoute, { body: { query: QUERY, sourceItemId: itemId } })).hits;

    it('skips the same content, and says so', async () => {
      const document = mill({ externalId: 'same' });
      const [id = ''] = await ingest(client, [document]);
      const again = await push(client, [document]);
      expect(again.items).toEqual([
        { externalId: 'same', provider: 'slack', sourceItemId: id, version: 1, status: 'skipped' },
      ]);
      const status = await waitUntilDone(client, again.requestId);
      expect(status).toMatchObject({ done: true, counts: { skipped: 1 } });
      expect((await client.call(sourceItemRoute, { params: { id } })).versions).toHaveLength(1);
    });

    it('moves the sync time also when nothing changed', async () => {
      const document = mill({ externalId: 'synced', syncedAt: '2020-01-01T00:00:00Z' });
      const [id = ''] = await ingest(client, [document]);
      expect((await find(id))[0]?.freshness?.syncedAt).toBe('2020-01-01T00:00:00.000Z');
      const again = await push(client, [{ ...document, syncedAt: '2021-01-01T00:00:00Z' }]);
      expect(again.items[0]?.status).toBe('skipped');
      expect((await find(id))[0]?.freshness?.syncedAt).toBe('2021-01-01T00:00:00.000Z');
    });

    it('makes a new version of changed content, and never returns the old text again', async () => {
      const [id = ''] = await ingest(client, [mill({ externalId: 'changed' })]);
      const old = await client.call(sourceItemRoute, { params: { id } });
      const beforeChange = new Date().toISOString();
      const { accepted } = await ingestAndWait(client, [
        mill({ externalId: 'changed', body: 'The mill of Orrefall opens at ten since October.' }),
      ]);
      expect(accepted.items[0]).toMatchObject({ sourceItemId: id, version: 2, status: 'accepted' });

      const hits = await find(id);
      expect(hits.map((hit) => hit.content)).toEqual([expect.stringContaining('opens at ten since October')]);
      const item = await client.call(sourceItemRoute, { params: { id } });
      expect(item.version).toBe(2);
      expect(item.versions.map(({ version, supersededAt }) => [version, supersededAt === null])).toEqual([
        [1, false],
        [2, true],
      ]);
      expect(item.chunkIds.filter((chunkId) => old.chunkIds.includes(chunkId))).toEqual([]);

      // Old chunk ids stay readable, and the past can be asked about; neither is an answer of today.
      const { data } = await client.call(readChunkRoute, { params: { chunkId: old.chunkIds[0] ?? '' } });
      expect(data.content).toContain('opens at seven');
      const past = await client.call(contextRoute, {
        body: { query: QUERY, sourceItemId: id, knownAsOf: beforeChange },
      });
      expect(past.hits.map((hit) => hit.content)).toEqual([expect.stringContaining('opens at seven')]);
    });

    it('ends at the newest of several versions that come in a row', async () => {
      const versions = ['eight', 'nine', 'eleven'];
      const requests = [];
      for (const hour of versions)
        requests.push(
          await push(client, [mill({ externalId: 'raced', body: `The mill of Orrefall opens at ${hour}.` })]),
        );
      expect(requests.map((request) => request.items[0]?.version)).toEqual([1, 2, 3]);
      for (const { requestId } of requests) await waitUntilDone(client, requestId);
      const id = requests[0]?.items[0]?.sourceItemId ?? '';
      expect((await find(id)).map((hit) => hit.content)).toEqual([expect.stringContaining('opens at eleven')]);
      const { versions: all, status } = await client.call(sourceItemRoute, { params: { id } });
      expect(status).toBe('indexed');
      for (const { version, status: state } of all)
        expect(version === 3 ? ['indexed'] : ['superseded', 'indexed']).toContain(state);
    });

    it('obeys a change of access with the very next query, without a new version', async () => {
      const policy = (principals: string[]) => ({ provider: 'slack', mode: 'acl', principals }) as const;
      const [id = ''] = await ingest(client, [
        mill({ externalId: 'moved', accessPolicy: policy(['user:ann@mill.example']) }),
      ]);
      const { chunkIds } = await client.call(sourceItemRoute, { params: { id } });
      const { client: ann } = await createKey(client, { principals: ['user:ann@mill.example'] });
      const { client: ben } = await createKey(client, { principals: ['user:ben@mill.example'] });
      expect([(await find(id, ann)).length, (await find(id, ben)).length]).toEqual([1, 0]);

      const moved = await push(client, [
        mill({ externalId: 'moved', accessPolicy: policy(['user:ben@mill.example']) }),
      ]);
      expect(moved.items[0]).toMatchObject({ status: 'accepted', version: 1 });
      expect(await find(id, ann)).toEqual([]);
      expect((await ann.get(`/v1/source-items/${id}`)).status).toBe(404);
      expect((await ann.get(`/v1/pd/read/${chunkIds[0]}`)).status).toBe(404);

      // Who gains access waits for the index; who loses it does not.
      await waitUntilDone(client, moved.requestId);
      expect((await find(id, ben)).map((hit) => hit.accessPolicy)).toEqual([policy(['user:ben@mill.example'])]);
      const item = await client.call(sourceItemRoute, { params: { id } });
      expect(item.versions).toHaveLength(1);
      expect(item.chunkIds).toEqual(chunkIds);
    });

    it('takes title, link, tags and dates of a metadata change at once', async () => {
      const [id = ''] = await ingest(client, [mill({ externalId: 'tagged', url: 'https://mill.example/a' })]);
      const changed = mill({
        externalId: 'tagged',
        url: 'https://mill.example/b',
        tags: ['new'],
        authorName: 'Ida',
      });
      const { items } = await push(client, [changed]);
      expect(items[0]).toMatchObject({ version: 1, status: 'accepted' });
      expect((await find(id))[0]?.url).toBe('https://mill.example/b');
      expect(await client.call(sourceItemRoute, { params: { id } })).toMatchObject({
        tags: ['new'],
        authorName: 'Ida',
      });
    });

    it('hides an item that a newer one declares to replace', async () => {
      const [old = ''] = await ingest(client, [mill({ externalId: 'hours-1' })]);
      expect(await find(old)).toHaveLength(1);
      const [replacement = ''] = await ingest(client, [
        mill({ externalId: 'hours-2', body: 'The mill of Orrefall opens at noon.', supersedes: ['hours-1'] }),
      ]);
      expect(await find(old)).toEqual([]);
      expect(await find(replacement)).toHaveLength(1);
      const contract = await client.call(contextRoute, {
        body: { query: QUERY, sourceItemId: old, contractVersion: '1.1' },
      });
      expect(contract.exclusions).toContainEqual(
        expect.objectContaining({ type: 'superseded', provider: 'slack', count: 1 }),
      );
    });
  });
}
