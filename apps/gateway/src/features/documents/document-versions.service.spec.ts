import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { UpdateDocumentBody } from '@candor/contracts';
import { findIngestion, insertSource } from '@candor/persistence';
import {
  buildDocument,
  createTestDatabase,
  TestTenant,
  testServerUrl,
  type TestDatabase,
} from '@candor/persistence/testing';
import { createRequestContext, runInRequestContext } from '@candor/runtime';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { IngestService } from '../ingest/ingest.service.js';
import { DocumentVersionsService } from './document-versions.service.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
const REFUSED = { code: 'RESOURCE.CONFLICT', message: 'The syncs of its source write this document: change it there.' };

withPostgres('changing a document', () => {
  let test: TestDatabase;
  let tenant: TestTenant;
  let versions: DocumentVersionsService;
  let apiKeyId: string;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    const limits = { searchDeadlineMs: 1_000, reasonDeadlineMs: 1_000 };
    const ingest = new IngestService(new RequestTransaction(test.database), limits);
    versions = new DocumentVersionsService(test.database, ingest);
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    tenant = await TestTenant.create(test.database);
    apiKeyId = randomUUID();
  });

  function inRequest<Result>(work: () => Promise<Result>, requestId: string = randomUUID()): Promise<Result> {
    const scope = {
      tenantId: tenant.id,
      apiKeyId,
      actorType: 'application',
      allowedActions: ['documents:read', 'documents:write'],
      allowedProviders: null,
      principals: null,
    };
    const context = createRequestContext(requestId, {
      apiKey: { scope, tenant: { quotas: {} } },
      audit: { metadata: {}, committed: false, action: 'document.update' },
    });
    return runInRequestContext(context, work);
  }
  const update = (id: string, body: UpdateDocumentBody, requestId?: string) =>
    inRequest(() => versions.update(id, body), requestId);
  const list = (id: string) => inRequest(() => versions.list(id, { limit: 20 }));

  it('is refused where the syncs of a source write it', async () => {
    const connectorId = await test.database.transaction((transaction) =>
      insertSource(
        transaction,
        tenant.id,
        {
          provider: 'slack',
          name: 'Workspace',
          settings: {},
          credentialFields: [],
          syncEveryMinutes: null,
          reconcileEveryMinutes: null,
        },
        () => ({ keyId: 'k', ciphertext: Buffer.from('c') }),
      ),
    );
    const { itemId } = await tenant.add(buildDocument({ connectorId }));
    await expect(update(itemId, { tags: ['a'] })).rejects.toMatchObject(REFUSED);
    const [version] = (await list(itemId)).data;
    await expect(inRequest(() => versions.restore(itemId, version?.id ?? ''))).rejects.toMatchObject(REFUSED);
    expect((await list(itemId)).data).toHaveLength(1);
  });

  it('is possible under the name of a source that nobody has connected', async () => {
    const { itemId } = await tenant.add(buildDocument({ connectorId: randomUUID() }));
    expect((await update(itemId, { content: 'New.' })).data).toMatchObject({ version: 2, content: 'New.' });
  });

  it('keeps both of two changes at once', async () => {
    const { itemId } = await tenant.add(buildDocument({ title: 'Old', body: 'Old.' }));
    await Promise.all([update(itemId, { title: 'New' }), update(itemId, { content: 'New.' })]);
    const [newest] = (await list(itemId)).data;
    expect(newest).toMatchObject({ version: 3, title: 'New' });
    expect((await update(itemId, {})).data).toMatchObject({ version: 3, title: 'New', content: 'New.' });
  });

  it('names what it stores by its request id, also for several changes, and for one key', async () => {
    const { itemId } = await tenant.add(buildDocument());
    const requestId = randomUUID();
    await update(itemId, { content: 'One.' }, requestId);
    expect((await update(itemId, { content: 'Two.' }, requestId)).data).toMatchObject({ version: 3, requestId });
    await update(itemId, { tags: ['a'] }, requestId);
    const viewer = { tenantId: tenant.id, providers: null, principals: null };
    const ingestion = await test.database.read((manager) => findIngestion(manager, viewer, requestId));
    expect(ingestion?.items.map(({ version }) => version)).toEqual([2, 3, 3]);
    apiKeyId = randomUUID();
    await expect(update(itemId, { content: 'Three.' }, requestId)).rejects.toMatchObject({ code: 'RESOURCE.CONFLICT' });
    expect((await list(itemId)).data).toHaveLength(3);
  });
});
