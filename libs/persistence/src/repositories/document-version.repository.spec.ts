import { beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { buildDocument, TestTenant } from '../testing.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { serviceViewer } from '../visibility.js';
import {
  findSentVersion,
  findVersionNumber,
  listDocumentVersions,
  lockDocument,
  noteItemVersion,
  versionIdOf,
} from './document-version.repository.js';
import { findDocument } from './document.repository.js';
import { acceptDocuments } from './ingest.repository.js';
import { findItemFile, type EarlierFile, type FileDocument } from './item-file.repository.js';

describeOnPostgres('versions of documents', (postgres) => {
  let tenant: TestTenant;
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });

  const versions = (itemId: string, filter: { cursor?: string; limit?: number } = {}, tenantId = tenant.id) =>
    postgres.database.read((manager) => listDocumentVersions(manager, tenantId, itemId, { limit: 20, ...filter }));
  const note = (item: { itemId: string; version: number }, changeLog: string) =>
    postgres.database.transaction((transaction) => noteItemVersion(transaction, tenant.id, item, changeLog));
  const contentOf = async (id: string) =>
    (await postgres.database.read((manager) => findDocument(manager, serviceViewer(tenant.id), id)))?.content;

  it('are listed newest first with their text, author and change log', async () => {
    const document = buildDocument({ body: 'One.' });
    const key = await tenant.addKey({ name: 'Writer' });
    const [first] = await postgres.database.transaction((transaction) =>
      acceptDocuments(transaction, tenant.id, randomUuid(), [document], key.id),
    );
    await tenant.index({ itemId: first?.itemId ?? '', version: 1 }, 'One.');
    const second = await tenant.acceptOne({ ...document, title: 'Changed', body: 'Two.' });
    await note(second, 'Better');
    await note(second, 'Checked');
    const { rows } = await versions(second.itemId);
    expect(rows).toEqual([
      {
        id: versionIdOf(second.itemId, 2),
        version: 2,
        title: 'Changed',
        userName: null,
        changeLog: 'Better\nChecked',
        content: null,
        createdAt: expect.any(Date),
      },
      {
        id: versionIdOf(second.itemId, 1),
        version: 1,
        title: document.title,
        userName: 'Writer',
        changeLog: null,
        content: 'One.',
        createdAt: expect.any(Date),
      },
    ]);
    expect((await versions(second.itemId, { limit: 1 })).rows).toHaveLength(1);
    const stranger = await TestTenant.create(postgres.database);
    expect((await versions(second.itemId, {}, stranger.id)).rows).toEqual([]);
  });

  it('are found by their ids, of their own item only', async () => {
    const [one, other] = await tenant.accept([buildDocument(), buildDocument()]);
    const number = (itemId: string, versionId: string, tenantId = tenant.id) =>
      postgres.database.read((manager) => findVersionNumber(manager, tenantId, itemId, versionId));
    const id = versionIdOf(one?.itemId ?? '', 1);
    expect(await number(one?.itemId ?? '', id)).toBe(1);
    expect(await number(other?.itemId ?? '', id)).toBeNull();
    expect(await number(one?.itemId ?? '', id, randomUuid())).toBeNull();
  });

  it('lose what was said about them when the item is purged', async () => {
    const item = await tenant.add(buildDocument());
    await note(item, 'Secret');
    await tenant.tombstone(item.itemId);
    await tenant.purge(item);
    expect(await postgres.query('SELECT 1 FROM item_version_notes WHERE item_id = $1', [item.itemId])).toEqual([]);
  });

  it('are read as they were sent, text or file', async () => {
    const bytes = Buffer.from('name,age\nAda,36\n');
    const { body: _body, mimeType: _mimeType, ...fields } = buildDocument({ sourceKind: 'file', title: 'ages.csv' });
    const document: FileDocument = {
      ...fields,
      file: { name: 'ages.csv', mediaType: 'text/csv', bytes, titleIsDefault: true },
    };
    const { itemId } = await tenant.acceptOne(document);
    const sent = (version: number) =>
      postgres.database.read((manager) => findSentVersion(manager, tenant.id, itemId, version));
    expect(await sent(1)).toMatchObject({ body: null, file: { name: 'ages.csv', titleIsDefault: true } });
    await tenant.acceptOne({ ...fields, body: '# Ages', mimeType: 'text/markdown' });
    expect(await sent(2)).toMatchObject({ body: '# Ages', mimeType: 'text/markdown', file: null });
    expect(await sent(3)).toBeNull();
  });

  it('take over the file of an earlier one without its bytes being sent', async () => {
    const { body: _body, mimeType: _mimeType, ...fields } = buildDocument({ sourceKind: 'file', title: 'a.txt' });
    const first: FileDocument = {
      ...fields,
      file: { name: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from('a') },
    };
    const { itemId } = await tenant.acceptOne(first);
    const sent = await postgres.database.read((manager) => findSentVersion(manager, tenant.id, itemId, 1));
    if (!sent?.file) throw new Error('no file');
    const file: EarlierFile = { ...sent.file, ofVersion: 1 };
    expect(await tenant.acceptOne({ ...fields, file })).toMatchObject({ status: 'skipped', version: 1 });
    expect(await tenant.acceptOne({ ...fields, title: 'Renamed', file })).toMatchObject({ version: 2 });
    const copy = await postgres.database.read((manager) => findItemFile(manager, tenant.id, itemId, 2));
    expect(copy).toMatchObject({ name: 'a.txt', bytes: Buffer.from('a') });
  });

  it('are locked only for who may see the item', async () => {
    const document = buildDocument({
      accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:a@x.org'] },
      tags: ['t'],
      url: 'https://x.org/',
    });
    const { itemId } = await tenant.acceptOne(document);
    const lock = (principals: string[] | null, tenantId = tenant.id) =>
      postgres.database.transaction((transaction) =>
        lockDocument(transaction, { tenantId, providers: null, principals }, itemId),
      );
    expect(await lock(['user:b@x.org'])).toBeNull();
    expect(await lock(null, randomUuid())).toBeNull();
    expect(await lock(['user:a@x.org'])).toMatchObject({
      externalId: document.externalId,
      tags: ['t'],
      url: 'https://x.org/',
      accessPolicy: document.accessPolicy,
      latestVersion: 1,
    });
    await tenant.tombstone(itemId);
    expect(await lock(null)).toBeNull();
  });

  it('show the newest content to who reads the document, the searchable one while that can’t be had', async () => {
    const document = buildDocument({ body: 'One.' });
    const { itemId } = await tenant.acceptOne(document);
    expect(await contentOf(itemId)).toBe('One.');
    await tenant.index({ itemId, version: 1 }, 'One.');
    await tenant.acceptOne({ ...document, body: '<p>Two.</p>', mimeType: 'text/html' });
    expect(await contentOf(itemId)).toBe('One.');
    await tenant.acceptOne({ ...document, body: 'Three.' });
    expect(await contentOf(itemId)).toBe('Three.');
    await postgres.query(`UPDATE item_versions SET state = 'failed' WHERE item_id = $1 AND version = 3`, [itemId]);
    expect(await contentOf(itemId)).toBe('One.');
  });
});
