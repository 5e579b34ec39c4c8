import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { strToU8, zipSync } from 'fflate';
import {
  contextRoute,
  deadLettersRoute,
  listDocumentsRoute,
  readChunkRoute,
  reasonRoute,
  searchRoute,
  sourceItemRoute,
  type Document,
} from '@candor/contracts';
import type { ApiClient, ApiResponse } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { expectQuotedAnswer } from '../../harness/quotations.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import { sendUpload, upload, waitForDocument } from '../../harness/upload.js';
import type { WorldOf } from '../../harness/world.js';

const FIXTURES = new URL('../../../../../libs/extraction/fixtures/unstructured/', import.meta.url);
const MEBIBYTE = 1024 * 1024;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

async function fixture(name: string): Promise<{ name: string; bytes: Uint8Array }> {
  return { name, bytes: await readFile(new URL(name, FIXTURES)) };
}

/** From a file that somebody uploads to an answer that quotes it, and every way in which a file can be refused. */
export function describeDocuments(world: WorldOf): void {
  describe('documents', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Documents')).admin;
    });

    it.each<[string, string, string, string]>([
      ['fake-memo.pdf', 'How many bottles of water were delivered?', 'There were 20,000 bottles of water', 'fake-memo'],
      [
        'category-level.docx',
        'What is a substitute for pistol and ball?',
        'substitute for pistol and ball',
        'category-level.docx',
      ],
      [
        'stanley-cups.xlsx',
        'How many Stanley Cups did the Maple Leafs win?',
        'Team: Maple Leafs | Location: TOR',
        'stanley-cups.xlsx',
      ],
      [
        'semicolon-delimited.csv',
        'consectetur adipiscing elit',
        'Lorem, ipsum: consectetur | dolor sit: adipiscing',
        'semicolon-delimited.csv',
      ],
      [
        'fake-email-attachment.eml',
        'What does the fake attachment say?',
        'Hey this is a fake attachment!',
        'Fake email with attachment',
      ],
      [
        'fake-html-cp1252.html',
        'Wie viel kostete der Kaffee mit Kuchen?',
        'Der Preis betrug 15,50 €.',
        'My First Heading',
      ],
    ])('finds what %s says, and where', async (name, query, sentence, title) => {
      const document = await upload(client, await fixture(name));
      expect(document).toMatchObject({ status: 'ready', error: null, title, sourceType: 'upload', version: 1 });
      expect(document.content).toContain(sentence);
      expect(document.file).toMatchObject({
        name,
        byteSize: expect.any(Number),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      const { hits } = await client.call(searchRoute, { body: { query, sourceItemId: document.id } });
      expect(hits[0]).toMatchObject({ sourceItemId: document.id, title, content: expect.stringContaining(sentence) });
      const context = await client.call(contextRoute, {
        body: { query, sourceItemId: document.id, contractVersion: '1.1' },
      });
      const [hit] = context.hits as { chunkId: string; content: string }[];
      const chunk = await client.call(readChunkRoute, { params: { chunkId: hit?.chunkId ?? '' } });
      const { startIndex, endIndex } = chunk.data.metadata;
      expect(document.content?.slice(startIndex, endIndex)).toBe(chunk.data.content);
      expect(chunk.data.content).toBe(hit?.content);
    });

    it('answers from a file with its own words', async () => {
      const document = await upload(client, {
        name: 'ferry.md',
        bytes: '# Ferry of Tjome\n\nThe ferry of Tjome leaves at seven and returns at noon.\n',
        mediaType: 'text/markdown',
      });
      expect(document.title).toBe('Ferry of Tjome');
      const { data } = await client.call(reasonRoute, { body: { query: 'When does the ferry of Tjome leave?' } });
      expect(data.answer).toContain('The ferry of Tjome leaves at seven and returns at noon.');
      expect(data.citations[0]).toMatchObject({ documentTitle: 'Ferry of Tjome' });
      await expectQuotedAnswer(client, data);
    });

    it('takes text as JSON too', async () => {
      const response = await client.post('/v1/documents', {
        title: 'Signal box',
        content: 'The signal box of Roa has nine levers.',
        tags: ['rail'],
      });
      expect(response.status).toBe(202);
      const { data } = response.body as { data: Document & { requestId: string } };
      expect(data).toMatchObject({ title: 'Signal box', status: 'pending', requestId: response.requestId, file: null });
      expect(await waitForDocument(client, data.id)).toMatchObject({
        status: 'ready',
        content: 'The signal box of Roa has nine levers.',
        tags: ['rail'],
      });
      const item = await client.call(sourceItemRoute, { params: { id: data.id } });
      expect(item.accessPolicy).toEqual({ provider: 'upload', mode: 'provider_scope' });
    });

    it('keeps the fields of a form', async () => {
      const fields = {
        title: '{Not JSON} at all',
        externalId: 'form-1',
        tags: ['a', 'b,c'],
        metadata: '{"room":7}',
        url: 'https://files.example/1',
        accessPolicy: '{"provider":"upload","mode":"acl","principals":["user:ada@x.example"]}',
      };
      const document = await upload(client, { name: 'note.txt', bytes: 'The key is under the mat of Hof.' }, fields);
      expect(document).toMatchObject({
        title: fields.title,
        externalId: 'form-1',
        tags: ['a', 'b', 'c'],
        url: fields.url,
      });
      const item = await client.call(sourceItemRoute, { params: { id: document.id } });
      expect(item).toMatchObject({ metadata: { room: 7 }, accessPolicy: { principals: ['user:ada@x.example'] } });
      const find = async (principal: string): Promise<number> => {
        const { client: reader } = await createKey(client, { principals: [principal] });
        const found = await reader.call(searchRoute, {
          body: { query: 'Where is the key of Hof?', sourceItemId: document.id },
        });
        return found.hits.length;
      };
      expect([await find('user:ada@x.example'), await find('user:eve@x.example')]).toEqual([1, 0]);
    });

    it('reads a file as what the form says that it is', async () => {
      const bytes = '# Mole of Vardo\n\nThe mole of Vardo was mended with oak.\n';
      const document = await upload(client, { name: 'mole', bytes }, { mimeType: 'text/markdown' });
      expect(document).toMatchObject({ title: 'Mole of Vardo', file: { name: 'mole', mediaType: 'text/markdown' } });
      expectError(await sendUpload(client, { name: 'mole', bytes }, { mimeType: 'markdown' }), {
        status: 400,
        type: 'REQUEST.INVALID',
        message: 'mimeType must be a media type, such as text/markdown',
      });
    });

    it('makes a new version of changed bytes, and none of the same', async () => {
      const send = (bytes: string): Promise<Document> =>
        upload(client, { name: 'log.txt', bytes }, { externalId: 'log' });
      const first = await send('The well of Lom is dry.');
      expect(await send('The well of Lom is dry.')).toMatchObject({ id: first.id, version: 1, status: 'ready' });
      expect(await send('The well of Lom is full again.')).toMatchObject({ id: first.id, version: 2, status: 'ready' });
      const { hits } = await client.call(searchRoute, {
        body: { query: 'Is the well of Lom dry?', sourceItemId: first.id },
      });
      expect(hits.map(({ content }) => content)).toEqual(['The well of Lom is full again.']);
    });

    it.each<[string, () => Promise<{ name: string; bytes: Uint8Array }>, string, string]>([
      ['an encrypted PDF', () => fixture('password.pdf'), 'EXTRACT.ENCRYPTED', 'The PDF is protected with a password.'],
      [
        'an encrypted workbook',
        () => fixture('password_protected.xlsx'),
        'EXTRACT.ENCRYPTED',
        'The file is protected with a password.',
      ],
      [
        'half a Word file',
        async () => {
          const { name, bytes } = await fixture('category-level.docx');
          return { name: `half-${name}`, bytes: bytes.subarray(0, 6_000) };
        },
        'EXTRACT.UNREADABLE',
        'The file is damaged: its parts cannot be unpacked.',
      ],
      [
        'an empty file',
        async () => ({ name: 'empty.pdf', bytes: new Uint8Array() }),
        'EXTRACT.EMPTY',
        'The file is empty (0 bytes).',
      ],
    ])('says why %s failed, and goes on', async (_name, file, type, message) => {
      const document = await upload(client, await file());
      expect(document).toMatchObject({ status: 'failed', error: { type, message }, content: null });
      const letters = await client.call(deadLettersRoute, { query: { limit: 100 } });
      expect(letters.data.find(({ sourceItemId }) => sourceItemId === document.id)).toMatchObject({
        job: 'item.extract',
        error: { type, message },
      });
      const { hits } = await client.call(searchRoute, { body: { query: document.title, sourceItemId: document.id } });
      expect(hits).toEqual([]);
      expect(await upload(client, { name: 'fine.txt', bytes: 'The neighbor is read as ever.' })).toMatchObject({
        status: 'ready',
      });
    });

    it('leaves the version before a broken one as it is, and shows nothing of the broken one', async () => {
      const send = (bytes: string): Promise<Document> =>
        upload(client, { name: 'tariff.csv', bytes }, { externalId: 'tariff' });
      const first = await send('gate,toll\nLysebu,nine crowns\n');
      const broken = await send('gate,toll\nLysebu,"twelve crowns\n');
      expect(broken).toMatchObject({ id: first.id, version: 2, status: 'failed' });
      const { hits } = await client.call(searchRoute, {
        body: { query: 'How high is the toll of Lysebu?', sourceItemId: first.id },
      });
      expect(hits.map(({ content }) => content)).toEqual([expect.stringContaining('nine crowns')]);
    });

    it('survives files that are made to break their readers', async () => {
      const bomb = zipSync({
        '[Content_Types].xml': strToU8('<Types/>'),
        'word/document.xml': new Uint8Array(100 * MEBIBYTE).fill(0x20),
      });
      const hostile: [string, Uint8Array | string, string][] = [
        ['bomb.docx', bomb, 'EXTRACT.TOO_LARGE'],
        ['one-line.txt', Buffer.alloc(60 * MEBIBYTE, 'word '), 'EXTRACT.TOO_LARGE'],
        ['deep.json', '['.repeat(200_000), 'EXTRACT.UNREADABLE'],
        ['deep.xml', `<?xml version="1.0"?>${'<a>'.repeat(200_000)}`, 'EXTRACT.UNREADABLE'],
        [
          'noise.pdf',
          Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(100_000, 'obj <<')]),
          'EXTRACT.UNREADABLE',
        ],
      ];
      const fine = upload(client, { name: 'beside.txt', bytes: 'The barge of Fagernes floats.' });
      for (const [name, bytes, type] of hostile)
        expect(await upload(client, { name, bytes })).toMatchObject({
          status: 'failed',
          error: { type },
          file: { name },
        });
      expect(await fine).toMatchObject({ status: 'ready' });
    }, 120_000);

    it('refuses at the door what can not be read or is too large', async () => {
      expectError(await sendUpload(client, { name: 'map.png', bytes: PNG, mediaType: 'image/png' }), {
        status: 415,
        type: 'EXTRACT.UNSUPPORTED_TYPE',
        message: 'Files of type image/png are not supported (text in images is not read).',
      });
      const large = { name: 'large.txt', bytes: Buffer.alloc(110 * MEBIBYTE, 'word ') };
      expectError(await sendUpload(client, large), {
        status: 413,
        type: 'REQUEST.TOO_LARGE',
        message: 'The file is larger than 100 MiB.',
      });
    });

    it.each<[string, () => Promise<ApiResponse>, string]>([
      ['a form without a file', () => sendUpload(client, null, { title: 'x' }), 'content is required without a file'],
      [
        'text beside a file',
        () => sendUpload(client, { name: 'a.txt', bytes: 'a' }, { content: 'b' }),
        'content must be absent beside a file',
      ],
      [
        'an unknown field',
        () => sendUpload(client, { name: 'a.txt', bytes: 'a' }, { titel: 'b' }),
        'unknown field "titel"',
      ],
      [
        'broken JSON in a field',
        () => sendUpload(client, { name: 'a.txt', bytes: 'a' }, { metadata: '{' }),
        'metadata must be valid JSON',
      ],
      [
        'a file as text',
        () => sendUpload(client, null, { file: 'a' }),
        'file must be sent as a file, with a file name',
      ],
      [
        'a form that ends too early',
        () =>
          client.send('POST', '/v1/documents', {
            rawBody: '--x\r\nContent-Disposition: form-data; name="title"\r\n\r\na',
            headers: { 'content-type': 'multipart/form-data; boundary=x' },
          }),
        'The multipart body is not well formed.',
      ],
      [
        'a form without a boundary',
        () =>
          client.send('POST', '/v1/documents', { rawBody: 'a', headers: { 'content-type': 'multipart/form-data' } }),
        'The multipart body is not well formed.',
      ],
    ])('refuses %s', async (_name, send, message) => {
      expectError(await send(), { status: 400, type: 'REQUEST.INVALID', message });
    });

    it('takes forms only where they belong', async () => {
      const form = { rawBody: 'x', headers: { 'content-type': 'multipart/form-data; boundary=x' } };
      expectError(await client.send('POST', '/v1/ingest', form), {
        status: 415,
        type: 'REQUEST.UNSUPPORTED_MEDIA_TYPE',
      });
    });

    it('answers a repeated upload from memory, and refuses another file under its key', async () => {
      const headers = { 'idempotency-key': 'upload-once' };
      const send = (bytes: string): Promise<ApiResponse> =>
        sendUpload(client, { name: 'once.txt', bytes }, {}, headers);
      const first = await send('The gate of Vang is green.');
      const again = await send('The gate of Vang is green.');
      expect(first.status).toBe(202);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expectError(await send('The gate of Vang is red.'), { status: 409, type: 'IDEMPOTENCY.KEY_REUSED' });
    });

    it('needs a key that may write, and write uploads', async () => {
      const file = { name: 'a.txt', bytes: 'a' };
      const { client: reader } = await createKey(client, { allowedActions: ['documents:read'] });
      expectError(await sendUpload(reader, file), { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
      const { client: slackOnly } = await createKey(client, {
        allowedActions: ['documents:write'],
        allowedProviders: ['slack'],
      });
      expectError(await sendUpload(slackOnly, file), {
        status: 403,
        type: 'AUTH.ACTION_NOT_ALLOWED',
        message: 'provider is not one that this API key may use.',
      });
    });

    it('lists documents with filters, newest first, for those who may see them', async () => {
      const { admin } = await createTenant(world(), 'Document list');
      for (const [index, tag] of ['red', 'blue', 'red'].entries())
        await upload(admin, { name: `list-${index}.txt`, bytes: `Entry ${index} of the list.` }, { tags: tag });
      await upload(admin, { name: 'broken.pdf', bytes: 'no PDF' }, { title: 'Broken 100%' });
      const titles = async (query: Record<string, string | number>): Promise<string[]> => {
        const { data } = await admin.call(listDocumentsRoute, { query });
        return data.map(({ title }) => title);
      };
      expect(await titles({})).toEqual(['Broken 100%', 'list-2.txt', 'list-1.txt', 'list-0.txt']);
      expect(await titles({ status: 'failed' })).toEqual(['Broken 100%']);
      expect(await titles({ tags: 'red' })).toEqual(['list-2.txt', 'list-0.txt']);
      expect(await titles({ search: '0%' })).toEqual(['Broken 100%']);
      expect(await titles({ sourceType: 'slack' })).toEqual([]);
      const first = await admin.call(listDocumentsRoute, { query: { limit: 3 } });
      const rest = await admin.call(listDocumentsRoute, { query: { limit: 3, cursor: first.pagination.cursor ?? '' } });
      expect(rest).toMatchObject({ data: [{ title: 'list-0.txt' }], pagination: { hasMore: false } });
      const { client: other } = await createKey(admin, { allowedProviders: ['slack'] });
      expect((await other.call(listDocumentsRoute)).data).toEqual([]);
    });

    it('deletes once, and is gone for the next query', async () => {
      const document = await upload(client, { name: 'gone.txt', bytes: 'The mill of Sel was sold.' });
      const { client: reader } = await createKey(client, { allowedActions: ['documents:read'] });
      expectError(await reader.delete(`/v1/documents/${document.id}`), {
        status: 403,
        type: 'AUTH.ACTION_NOT_ALLOWED',
      });
      expect((await client.delete(`/v1/documents/${document.id}`)).status).toBe(204);
      const { hits } = await client.call(searchRoute, { body: { query: 'Who sold the mill of Sel?' } });
      expect(hits.map(({ sourceItemId }) => sourceItemId)).not.toContain(document.id);
      for (const response of [
        await client.get(`/v1/documents/${document.id}`),
        await client.delete(`/v1/documents/${document.id}`),
      ])
        expectError(response, { status: 404, type: 'RESOURCE.NOT_FOUND', message: 'There is no such document.' });
    });
  });
}
