import { beforeEach, expect, it, jest } from '@jest/globals';
import { createHash } from 'node:crypto';
import { buildDocument, TestTenant } from '../testing.js';
import type { AcceptedItem } from './ingest.repository.js';
import {
  findItemFile,
  findItemFileFacts,
  saveFileReading,
  type FileDocument,
  type FileReading,
  type NewFile,
} from './item-file.repository.js';
import { findSourceItem, type SourceItemDetails } from './source-item.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

jest.setTimeout(60_000);

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

describeOnPostgres('files of items', (postgres) => {
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });

  async function details({ itemId }: AcceptedItem): Promise<SourceItemDetails> {
    const found = await postgres.database.read((manager) => findSourceItem(manager, tenant.id, itemId));
    if (!found) throw new Error('not found');
    return found;
  }
  const fileOf = ({ itemId, version }: AcceptedItem, tenantId = tenant.id) =>
    postgres.database.read((manager) => findItemFile(manager, tenantId, itemId, version));
  const factsOf = ({ itemId, version }: AcceptedItem) =>
    postgres.database.read((manager) => findItemFileFacts(manager, tenant.id, itemId, version));
  const countFiles = async (): Promise<unknown> => {
    const [row] = await postgres.database.read((manager) =>
      manager.query<{ count: number }[]>('SELECT count(*)::int AS count FROM item_files WHERE tenant_id = $1', [
        tenant.id,
      ]),
    );
    return row?.count;
  };
  const storedVersions = ({ itemId }: AcceptedItem): Promise<Record<string, unknown>[]> =>
    postgres.database.read((manager) =>
      manager.query('SELECT title, body, mime_type AS "mimeType" FROM item_versions WHERE item_id = $1', [itemId]),
    );
  const enter = async ({ itemId, version }: AcceptedItem, state: 'extracting' | 'indexing'): Promise<void> => {
    await postgres.database.read((manager) =>
      manager.query('UPDATE item_versions SET state = $3 WHERE item_id = $1 AND version = $2', [
        itemId,
        version,
        state,
      ]),
    );
  };
  const save = (item: AcceptedItem, reading: FileReading): Promise<void> =>
    postgres.database.transaction((transaction) => saveFileReading(transaction, tenant.job(item), reading));
  async function read(item: AcceptedItem, reading: FileReading): Promise<void> {
    await enter(item, 'extracting');
    await save(item, reading);
    await enter(item, 'indexing');
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
    const other = await TestTenant.create(postgres.database);
    expect(await fileOf(item, other.id)).toBeNull();
    expect(await fileOf(await tenant.acceptOne(buildDocument()))).toBeNull();
  });

  it('takes title and author from the file where the caller named none', async () => {
    const item = await tenant.acceptOne(buildFile({ titleIsDefault: true }));
    await read(item, READING);
    expect((await details(item)).item).toMatchObject({ title: 'The plan', authorName: 'Ada' });
    expect(await storedVersions(item)).toEqual([{ title: 'The plan', body: 'Read text', mimeType: 'text/markdown' }]);
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
    await enter(first, 'extracting');
    await tenant.acceptOne({ ...document, title: 'Newer', file: { ...document.file, titleIsDefault: false } });
    await save(first, READING);
    expect((await details(first)).item).toMatchObject({ title: 'Newer', authorName: null });
  });

  it('changes nothing once the version has left the stage', async () => {
    const item = await tenant.acceptOne(buildFile({ titleIsDefault: true }));
    await read(item, READING);
    await save(item, { ...READING, title: 'Late', body: 'late' });
    expect(await storedVersions(item)).toMatchObject([{ title: 'The plan', body: 'Read text' }]);
  });

  it('purges the bytes with the item', async () => {
    const item = await tenant.acceptOne(buildFile());
    await read(item, READING);
    await tenant.tombstone(item.itemId);
    expect(await countFiles()).toBe(1);
    expect(await tenant.purge(item)).toBe(true);
    expect(await countFiles()).toBe(0);
  });
});
