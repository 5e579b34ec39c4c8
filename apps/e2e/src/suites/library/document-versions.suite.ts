import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  auditEventsRoute,
  createDocumentRoute,
  getDocumentRoute,
  listDocumentsRoute,
  listDocumentVersionsRoute,
  restoreDocumentRoute,
  searchRoute,
  updateDocumentRoute,
  type Document,
  type UpdateDocumentBody,
} from '@candor/contracts';
import { waitFor, type ApiClient } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { ingestOne } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import { upload } from '../../harness/upload.js';
import type { WorldOf } from '../../harness/world.js';

const NOT_FOUND = { status: 404, type: 'RESOURCE.NOT_FOUND', message: 'There is no such document.' } as const;

/** Documents that are changed and brought back, through the way that all documents take. */
export function describeDocumentVersions(world: WorldOf): void {
  describe('library: versions of documents', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Versions of documents')).admin;
    });

    const read = async (id: string): Promise<Document> =>
      (await client.call(getDocumentRoute, { params: { id } })).data;
    const ready = (id: string): Promise<Document> =>
      waitFor(
        async () => {
          const document = await read(id);
          return document.status === 'ready' ? document : undefined;
        },
        { what: `document ${id} to be ready`, timeoutMs: 60_000 },
      );
    const add = async (title: string, content: string, tags: string[] = []): Promise<Document> => {
      const { data } = await client.call(createDocumentRoute, { body: { title, content, tags } });
      expect(data.status).toBe('pending');
      return ready(data.id);
    };
    const change = async (id: string, body: UpdateDocumentBody) =>
      (await client.call(updateDocumentRoute, { params: { id }, body })).data;
    const versionsOf = async (id: string) => (await client.call(listDocumentVersionsRoute, { params: { id } })).data;
    const restore = async (id: string, versionId: string) =>
      (await client.call(restoreDocumentRoute, { params: { id }, body: { versionId } })).data;
    const find = async (query: string): Promise<string[]> =>
      (await client.call(searchRoute, { body: { query } })).hits.map(({ content }) => content);

    it('are made by changes, found by what they say now, and restored', async () => {
      const { id } = await add('Ferry', 'The ferry to Stord leaves at nine.', ['boats']);
      const changed = await change(id, { content: 'The ferry to Stord leaves at eleven.', changeLog: 'New timetable' });
      expect(changed).toMatchObject({
        id,
        title: 'Ferry',
        status: 'pending',
        version: 2,
        currentVersion: 2,
        content: 'The ferry to Stord leaves at eleven.',
        tags: ['boats'],
        sourceType: 'upload',
      });
      await ready(id);
      expect(await find('When does the ferry to Stord leave?')).toEqual([expect.stringContaining('eleven')]);
      const versions = await versionsOf(id);
      expect(versions.map(({ version, title, content, changeLog }) => [version, title, content, changeLog])).toEqual([
        [2, 'Ferry', 'The ferry to Stord leaves at eleven.', 'New timetable'],
        [1, 'Ferry', 'The ferry to Stord leaves at nine.', null],
      ]);
      expect(versions.every(({ userName }) => typeof userName === 'string')).toBe(true);
      expect(await restore(id, versions[1]?.id ?? '')).toEqual({ id, title: 'Ferry', currentVersion: 3 });
      await ready(id);
      expect(await find('When does the ferry to Stord leave?')).toEqual([expect.stringContaining('nine')]);
      expect((await versionsOf(id))[0]).toMatchObject({ version: 3, changeLog: 'Restored version 1' });
      // What it says already makes no new version.
      expect(await restore(id, versions[1]?.id ?? '')).toMatchObject({ currentVersion: 3 });
      expect(await versionsOf(id)).toHaveLength(3);
    });

    it('are not made by what stands beside the content', async () => {
      const { id } = await add('Buoy', 'The buoy off Herdla blinks twice.', ['a']);
      const changed = await change(id, { tags: ['b', 'c'], url: 'https://x.org/buoy', changeLog: 'Filed' });
      expect(changed).toMatchObject({ version: 1, tags: ['b', 'c'], url: 'https://x.org/buoy', status: 'ready' });
      expect(await versionsOf(id)).toMatchObject([{ version: 1, changeLog: 'Filed' }]);
      const tagged = async (tags: string) =>
        (await client.call(listDocumentsRoute, { query: { tags } })).data.map((document) => document.id);
      expect(await tagged('c,b')).toEqual([id]);
      expect(await tagged('a')).not.toContain(id);
      expect((await change(id, { url: null })).url).toBeNull();
    });

    it('are made by another title, with the same content', async () => {
      const { id } = await add('Old title', 'The lighthouse of Marstein has a red roof.');
      await change(id, { title: 'New title' });
      expect(await ready(id)).toMatchObject({
        title: 'New title',
        version: 2,
        content: 'The lighthouse of Marstein has a red roof.',
      });
      expect((await versionsOf(id)).map(({ title }) => title)).toEqual(['New title', 'Old title']);
    });

    it('bring a file back, after text has taken its place', async () => {
      const file = { name: 'keys.csv', bytes: 'room,key\nsauna,brass\n', mediaType: 'text/csv' };
      const { id } = await upload(client, file, { tags: 'keys' });
      const first = await ready(id);
      expect(first).toMatchObject({ title: 'keys.csv', file: { name: 'keys.csv' } });
      await change(id, { title: 'Renamed' });
      expect(await ready(id)).toMatchObject({ title: 'Renamed', version: 2, file: { name: 'keys.csv' } });
      await change(id, { content: 'The sauna has a silver key.' });
      expect(await ready(id)).toMatchObject({ title: 'Renamed', file: null, content: 'The sauna has a silver key.' });
      const versions = await versionsOf(id);
      expect(versions.map(({ content }) => content)).toEqual([
        'The sauna has a silver key.',
        expect.stringContaining('brass'),
        expect.stringContaining('brass'),
      ]);
      await restore(id, versions[2]?.id ?? '');
      expect(await ready(id)).toMatchObject({
        title: 'keys.csv',
        version: 4,
        file: { name: 'keys.csv', sha256: first.file?.sha256 },
        content: first.content,
        tags: ['keys'],
      });
    });

    it('are as large as documents may be', async () => {
      const { id } = await add('Chronicle', 'Short as yet.');
      for (const [end, path] of [`/v1/documents/${id}`, `/v1/documents/${id}/`].entries()) {
        // More than bodies may have where nothing else is said, and little to read.
        const content = `The chronicle of Halsnoy.${' '.repeat(1_100_000)}End ${end}.`;
        expect((await client.send('PATCH', path, { body: { content } })).status).toBe(200);
      }
      expect(await ready(id)).toMatchObject({ version: 3, content: expect.stringContaining('End 1.') });
    });

    it('keep who may see a document, and show nothing to others', async () => {
      const principals = ['user:mate@sea.example'];
      const id = await ingestOne(client, {
        title: 'Log',
        body: 'The mate keeps the log of the Bjarkoy.',
        accessPolicy: { provider: 'slack', mode: 'acl', principals },
      });
      await change(id, { content: 'The mate keeps the log of the Bjarkoy below deck.' });
      await ready(id);
      const versionId = (await versionsOf(id))[1]?.id ?? '';
      const keyOf = async (principal: string) =>
        (
          await createKey(client, {
            allowedActions: ['search', 'documents:read', 'documents:write'],
            principals: [principal],
          })
        ).client;
      const mate = await keyOf('user:mate@sea.example');
      expect((await mate.call(listDocumentVersionsRoute, { params: { id } })).data).toHaveLength(2);
      const { admin: stranger } = await createTenant(world(), 'Strangers to versions');
      for (const other of [await keyOf('user:cook@sea.example'), stranger]) {
        expectError(await other.get(`/v1/documents/${id}/versions`), NOT_FOUND);
        expectError(await other.send('PATCH', `/v1/documents/${id}`, { body: { title: 'Mine' } }), NOT_FOUND);
        expectError(await other.post(`/v1/documents/${id}/restore`, { versionId }), NOT_FOUND);
      }
      expect((await read(id)).title).toBe('Log');
    });

    it('show who may only write nothing of what others wrote', async () => {
      const { id } = await add('Sealed', 'The sealed chart of Runde.');
      const { client: writer } = await createKey(client, { allowedActions: ['documents:write'] });
      const write = async (body: UpdateDocumentBody) =>
        (await writer.call(updateDocumentRoute, { params: { id }, body })).data.content;
      expect(await write({ tags: ['a'] })).toBeNull();
      expect(await write({ title: 'Renamed' })).toBeNull();
      expect(await write({ content: 'My chart.' })).toBe('My chart.');
      expectError(await writer.get(`/v1/documents/${id}/versions`), { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
    });

    it('are of one document only, and gone with it', async () => {
      const [one, other] = [await add('One', 'The anchor of one.'), await add('Two', 'The anchor of two.')];
      const versionId = (await versionsOf(other.id))[0]?.id ?? '';
      for (const id of [versionId, randomUUID()])
        expectError(await client.post(`/v1/documents/${one.id}/restore`, { versionId: id }), {
          status: 404,
          type: 'RESOURCE.NOT_FOUND',
          message: 'The document has no such version.',
          field: 'versionId',
        });
      await client.delete(`/v1/documents/${one.id}`);
      expectError(await client.get(`/v1/documents/${one.id}/versions`), NOT_FOUND);
      expectError(await client.send('PATCH', `/v1/documents/${one.id}`, { body: { title: 'x' } }), NOT_FOUND);
    });

    it('are restored once for one Idempotency-Key, and audited without their text', async () => {
      const { id } = await add('Mast', 'The zanzibar mast is tall.');
      await change(id, { content: 'The zanzibar mast is short.' });
      await ready(id);
      const versionId = (await versionsOf(id))[1]?.id ?? '';
      const headers = { 'idempotency-key': randomUUID() };
      const once = await client.post(`/v1/documents/${id}/restore`, { versionId }, headers);
      const again = await client.post(`/v1/documents/${id}/restore`, { versionId }, headers);
      expect([once.status, again.status]).toEqual([200, 200]);
      expect(again.body).toEqual(once.body);
      const events = (await client.call(auditEventsRoute, { query: { limit: 100 } })).data.filter(
        ({ targetId }) => targetId === id,
      );
      const actions = events.map(({ action }) => action);
      for (const action of ['document.create', 'document.update', 'document.restore', 'document.read'])
        expect(actions).toContain(action);
      expect(JSON.stringify(events)).not.toContain('mast is');
    });
  });
}
