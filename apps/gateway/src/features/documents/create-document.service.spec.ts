import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Action, CreateDocumentBody, createDocumentRoute, ResponseOf } from '@candor/contracts';
import { findItemFile } from '@candor/persistence';
import { createTestDatabase, TestTenant, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { createRequestContext, runInRequestContext } from '@candor/runtime';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import type { MultipartFile } from '../../uploads/read-multipart.js';
import { toBody } from '../../uploads/to-body.js';
import { IngestService } from '../ingest/ingest.service.js';
import { CreateDocumentService } from './create-document.service.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

const ALICE = 'user:alice@x.example';
const BOB = 'user:bob@x.example';
const SECRET = 'The safe opens with 4711.';
const file: MultipartFile = { name: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from('What is in there?') };
const ofAlice = { provider: 'upload', mode: 'acl', principals: [ALICE] } as const;
const ofBoth = { provider: 'upload', mode: 'acl', principals: [ALICE, BOB] } as const;

withPostgres('adding a document', () => {
  let test: TestDatabase;
  let tenant: TestTenant;
  let documents: CreateDocumentService;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    const limits = { searchDeadlineMs: 1_000, reasonDeadlineMs: 1_000 };
    documents = new CreateDocumentService(new IngestService(new RequestTransaction(test.database), limits));
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    tenant = await TestTenant.create(test.database);
  });

  interface Key {
    principals?: string[] | null;
    allowedActions?: Action[];
  }

  async function create(
    body: Omit<CreateDocumentBody, 'accessPolicy'> & { accessPolicy?: object },
    upload: MultipartFile | null = null,
    { principals = null, allowedActions = ['documents:write'] }: Key = {},
  ): Promise<ResponseOf<typeof createDocumentRoute>['data']> {
    const scope = {
      tenantId: tenant.id,
      apiKeyId: randomUUID(),
      actorType: 'application',
      allowedActions,
      allowedProviders: null,
      principals,
    };
    const context = createRequestContext(randomUUID(), {
      apiKey: { scope, tenant: { quotas: {} } },
      audit: { metadata: {}, committed: false, action: 'document.create' },
    });
    const form = toBody({ fields: new Map(), file: upload }, []) as Partial<CreateDocumentBody>;
    const { data } = await runInRequestContext(context, () =>
      documents.create({ ...form, ...body } as CreateDocumentBody, upload),
    );
    return data;
  }

  /** With its text read and searchable. */
  async function add(externalId: string, accessPolicy: object): Promise<void> {
    const { id } = await create({ title: 'Safe', content: SECRET, externalId, accessPolicy });
    await tenant.index({ itemId: id, version: 1 }, SECRET);
  }

  it.each<[string, Omit<CreateDocumentBody, 'accessPolicy'>, MultipartFile | null]>([
    ['text', { title: 'Mine', content: 'Mine.' }, null],
    ['a file', {}, file],
  ])('is refused to a key that may not see what has its id: %s', async (_what, body, upload) => {
    await add('safe', ofAlice);
    const write = create({ ...body, externalId: 'safe' }, upload, {
      principals: [BOB],
      allowedActions: ['documents:read', 'documents:write'],
    });
    await expect(write).rejects.toMatchObject({
      code: 'AUTH.ACTION_NOT_ALLOWED',
      message: 'externalId is not one that this API key may use.',
      details: { field: 'externalId' },
    });
  });

  it.each<[string, Key]>([
    ['may only write', { principals: [BOB] }],
    ['sees everything, and may only write', {}],
    ['may read', { principals: [BOB], allowedActions: ['documents:read', 'documents:write'] }],
  ])('answers with content that the call sent, and with no other: a key that %s', async (_what, key) => {
    await add('shared', ofBoth);
    const uploaded = await create({ externalId: 'shared', accessPolicy: ofAlice }, file, { principals: [BOB] });
    expect(uploaded).toMatchObject({ version: 2, content: null, file: { name: 'a.txt' } });
    await add('again', ofBoth);
    expect(await create({ externalId: 'again', title: 'Safe', content: 'New.' }, null, key)).toMatchObject({
      version: 2,
      content: 'New.',
    });
    const html = { externalId: 'again', title: 'Safe', content: '<p>Newer.</p>', mimeType: 'text/html' } as const;
    expect(await create(html, null, key)).toMatchObject({ version: 3, content: null });
  });

  it('takes the stated type of a file over that of its part', async () => {
    const unsure = { ...file, name: 'notes', mediaType: 'application/octet-stream' };
    expect((await create({}, unsure)).file).toMatchObject({ mediaType: 'application/octet-stream' });
    const { id, file: stated } = await create({ mimeType: 'text/markdown' }, unsure);
    expect(stated).toMatchObject({ name: 'notes', mediaType: 'text/markdown' });
    const stored = await test.database.read((manager) => findItemFile(manager, tenant.id, id, 1));
    expect(stored).toMatchObject({ mediaType: 'text/markdown', bytes: file.bytes });
    await expect(create({ mimeType: 'image/png' }, unsure)).rejects.toMatchObject({ code: 'EXTRACT.UNSUPPORTED_TYPE' });
  });
});
