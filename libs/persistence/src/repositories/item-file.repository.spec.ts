import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createHash } from 'node:crypto';
import {
  buildDocument,
  buildChunk,
  createTestDatabase,
  testServerUrl,
  TestTenant,
  type TestDatabase,
} from '../testing.js';
import type { AcceptedItem } from './ingest.repository.js';
import {
  findItemFile,
  findItemFileFacts,
  saveFileReading,
  type FileDocument,
  type FileReading,
  type NewFile,
} from './item-file.repository.js';
import { saveExtraction, startStage } from './item-pipeline.repository.js';
import { findSourceItem, type SourceItemDetails } from './source-item.repository.js';

jest.setTimeout(60_000);

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

const BYTES = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x00, 0xff, 0x0a]);
const READING: FileReading = {
  title: 'The plan',
  authorName: 'Ada',
  body: 'Read text',
  mimeType: 'text/markdown',
  warnings: ['page 3 is an image'],
};

function buildFile(file: Partial<NewFile> = {}, fields: Partial<FileDocument> = {}): FileDocument {
  const { body, mimeType, ...rest } = buildDocument({ provider: 'upload', sourceKind: 'file', title: 'plan.pdf' });
  return { ...rest, ...fields, file: { name: 'plan.pdf', mediaType: 'application/pdf', bytes: BYTES, ...file } };
}

withPostgres('files of items', () => {
  let test: TestDatabase;
  let tenant: TestTenant;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    tenant = await TestTenant.create(test.database);
  });

  async function details({ itemId }: AcceptedItem): Promise<SourceItemDetails> {
    const found = await test.database.read((manager) => findSourceItem(manager, tenant.id, itemId));
    if (!found) throw new Error('not found');
    return found;
  }
  const fileOf = ({ itemId, version }: AcceptedItem, tenantId = tenant.id) =>
    test.database.read((manager) => findItemFile(manager, tenantId, itemId, version));
  const factsOf = ({ itemId, version }: AcceptedItem) =>
    test.database.read((manager) => findItemFileFacts(manager, tenant.id, itemId, version));
  const countFiles = async (): Promise<unknown> => {
    const [row] = await test.database.read((manager) =>
      manager.query<{ count: number }[]>('SELECT count(*)::int AS count FROM item_files WHERE tenant_id = $1', [
        tenant.id,
      ]),
    );
    return row?.count;
  };
  async function read(item: AcceptedItem, reading: FileReading): Promise<void> {
    const job = tenant.job(item);
    await test.database.transaction((transaction) => startStage(transaction, job, 'extracting'));
    await test.database.transaction(async (transaction) => {
      await saveFileReading(transaction, job, reading);
      await saveExtraction(transaction, job, { text: reading.body, blocks: [] });
    });
  }

  it('keeps the bytes with the version, for their tenant alone', async () => {
    const item = await tenant.acceptOne(buildFile({ titleIsDefault: true }));
    expect(item).toMatchObject({ version: 1, status: 'accepted', change: 'content' });
    const { name, mediaType, bytes, titleIsDefault } = (await fileOf(item)) ?? {};
    expect({ name, mediaType, titleIsDefault }).toEqual({
      name: 'plan.pdf',
      mediaType: 'application/pdf',
      titleIsDefault: true,
    });
    expect(Buffer.from(bytes ?? []).equals(BYTES)).toBe(true);
    expect(await factsOf(item)).toEqual({
      name: 'plan.pdf',
      mediaType: 'application/pdf',
      byteSize: BYTES.length,
      sha256: createHash('sha256').update(BYTES).digest('hex'),
      warnings: [],
    });
    const other = await TestTenant.create(test.database);
    expect(await fileOf(item, other.id)).toBeNull();
    expect(await fileOf(await tenant.acceptOne(buildDocument()))).toBeNull();
  });

  it('takes title and author from the file where the caller named none', async () => {
    const item = await tenant.acceptOne(buildFile({ titleIsDefault: true }));
    await read(item, READING);
    const { item: head, versions } = await details(item);
    expect(head).toMatchObject({ title: 'The plan', authorName: 'Ada' });
    expect(versions).toMatchObject([{ title: 'The plan', body: 'Read text', mimeType: 'text/markdown' }]);
    expect(await factsOf(item)).toMatchObject({ warnings: ['page 3 is an image'] });
  });

  it('keeps what the caller said', async () => {
    const item = await tenant.acceptOne(buildFile({}, { title: 'Mine', authorName: 'Grace' }));
    await read(item, { ...READING, title: null });
    expect((await details(item)).item).toMatchObject({ title: 'Mine', authorName: 'Grace' });
  });

  it('skips the same file, and what was found in it stands', async () => {
    const document = buildFile({ titleIsDefault: true });
    const item = await tenant.acceptOne(document);
    await read(item, READING);
    expect(await tenant.acceptOne(document)).toMatchObject({ version: 1, status: 'skipped' });
    expect(await tenant.acceptOne({ ...document, tags: ['new'] })).toMatchObject({ version: 1, change: 'metadata' });
    expect((await details(item)).item).toMatchObject({ title: 'The plan', authorName: 'Ada', tags: ['new'] });
    expect(await countFiles()).toBe(1);
  });

  it.each<[string, Partial<NewFile>]>([
    ['bytes', { bytes: Buffer.from('other') }],
    ['type', { mediaType: 'text/plain' }],
  ])('makes a new version when the %s changed', async (_name, change) => {
    const document = buildFile();
    const first = await tenant.acceptOne(document);
    const second = await tenant.acceptOne({ ...document, file: { ...document.file, ...change } });
    expect(second).toMatchObject({ itemId: first.itemId, version: 2, change: 'content' });
    expect(await countFiles()).toBe(2);
  });

  it('leaves the title of a newer version alone', async () => {
    const document = buildFile({ titleIsDefault: true });
    const first = await tenant.acceptOne(document);
    await test.database.transaction((transaction) => startStage(transaction, tenant.job(first), 'extracting'));
    await tenant.acceptOne({ ...document, title: 'Newer', file: { ...document.file, titleIsDefault: false } });
    await test.database.transaction((transaction) => saveFileReading(transaction, tenant.job(first), READING));
    expect((await details(first)).item).toMatchObject({ title: 'Newer', authorName: null });
  });

  it('changes nothing once the version has left the stage', async () => {
    const item = await tenant.acceptOne(buildFile({ titleIsDefault: true }));
    await read(item, READING);
    await test.database.transaction((transaction) =>
      saveFileReading(transaction, tenant.job(item), { ...READING, title: 'Late', body: 'late' }),
    );
    expect((await details(item)).versions).toMatchObject([{ title: 'The plan', body: 'Read text' }]);
  });

  it('purges the bytes with the item', async () => {
    const item = await tenant.acceptOne(buildFile());
    await read(item, READING);
    await test.database.transaction((transaction) => startStage(transaction, tenant.job(item), 'indexing'));
    await tenant.complete(item, [buildChunk(READING.body)]);
    await tenant.tombstone(item.itemId);
    expect(await countFiles()).toBe(1);
    expect(await tenant.purge(item)).toBe(true);
    expect(await countFiles()).toBe(0);
  });
});
