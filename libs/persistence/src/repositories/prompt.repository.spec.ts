import { beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { VERSIONS_PAGE_CHARACTERS, type CreatePromptBody, type UpdatePromptBody } from '@candor/contracts';
import { TestTenant } from '../testing.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { addCollectionItems } from './collection-item.repository.js';
import { insertCollection } from './collection.repository.js';
import {
  deletePrompt,
  filterPrompts,
  findPrompt,
  insertPrompt,
  listPrompts,
  listPromptVersions,
  restorePrompt,
  updatePrompt,
  type PromptRow,
  type VersionRow,
} from './prompt.repository.js';

const AUTHOR = { apiKeyId: randomUuid(), name: 'Editor' };

describeOnPostgres('prompts', (postgres) => {
  let tenant: TestTenant;
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });

  const make = (fields: Partial<CreatePromptBody> = {}): Promise<PromptRow> =>
    postgres.database.transaction((transaction) =>
      insertPrompt(transaction, tenant.id, AUTHOR, { title: 'Greeting', content: 'Greet ${name}.', ...fields }),
    );
  const change = (id: string, body: UpdatePromptBody, tenantId = tenant.id): Promise<PromptRow | null> =>
    postgres.database.transaction((transaction) => updatePrompt(transaction, tenantId, id, AUTHOR, body));
  const restore = (id: string, versionId: string, tenantId = tenant.id) =>
    postgres.database.transaction((transaction) => restorePrompt(transaction, tenantId, id, versionId, AUTHOR));
  const find = (id: string, tenantId = tenant.id) =>
    postgres.database.read((manager) => findPrompt(manager, tenantId, id));
  const versions = async (id: string, filter: { cursor?: string; limit?: number } = {}, tenantId = tenant.id) =>
    postgres.database.read((manager) => listPromptVersions(manager, tenantId, id, { limit: 20, ...filter }));
  const list = (
    filter: { search?: string; tags?: string[]; cursor?: string; limit?: number } = {},
    tenantId = tenant.id,
  ) => postgres.database.read((manager) => listPrompts(manager, tenantId, { limit: 20, ...filter }));
  const titlesOf = ({ rows }: { rows: { title: string }[] }): string[] => rows.map(({ title }) => title);

  it('are made with everything they say', async () => {
    const prompt = await make({
      description: 'Says hello',
      engine: 'model-1',
      parameters: { temperature: 0.2, stop: ['\n'] },
      variables: [{ name: 'name', type: 'string', description: 'Whom to greet' }],
      tags: ['mail'],
    });
    expect(prompt).toEqual({
      id: expect.any(String),
      title: 'Greeting',
      description: 'Says hello',
      content: 'Greet ${name}.',
      engine: 'model-1',
      parameters: { temperature: 0.2, stop: ['\n'] },
      variables: [{ name: 'name', type: 'string', description: 'Whom to greet' }],
      tags: ['mail'],
      currentVersion: 1,
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    });
    expect(await find(prompt.id)).toEqual(prompt);
  });

  it('get a version with each change of text, and none with other tags or the same text', async () => {
    const { id } = await make();
    await change(id, { content: 'Greet ${name} warmly.', changeLog: 'Warmer' });
    expect(await change(id, { tags: ['a', 'b'] })).toMatchObject({ currentVersion: 2, tags: ['a', 'b'] });
    expect(await change(id, { content: 'Greet ${name} warmly.', parameters: {} })).toMatchObject({ currentVersion: 2 });
    expect(await change(id, { parameters: { a: 1 } })).toMatchObject({ currentVersion: 3, tags: ['a', 'b'] });
    const { rows } = await versions(id);
    expect(rows.map(({ version, content, changeLog, userName }) => [version, content, changeLog, userName])).toEqual([
      [3, 'Greet ${name} warmly.', null, 'Editor'],
      [2, 'Greet ${name} warmly.', 'Warmer', 'Editor'],
      [1, 'Greet ${name}.', null, 'Editor'],
    ]);
    expect(new Set(rows.map((row) => row.id)).size).toBe(3);
  });

  it('keep a change log that comes without a change of text with the newest version', async () => {
    const { id } = await make();
    await change(id, { tags: ['a'], changeLog: 'Filed' });
    await change(id, { changeLog: 'Checked' });
    expect((await versions(id)).rows.map((row) => row.changeLog)).toEqual(['Filed\nChecked']);
    for (let round = 0; round < 12; round += 1) await change(id, { changeLog: `${round % 10}`.repeat(1000) });
    const [newest] = (await versions(id)).rows;
    expect(newest?.changeLog).toHaveLength(10_000);
    expect(newest?.changeLog?.endsWith('1'.repeat(1000))).toBe(true);
  });

  it('bring a version back as a new one', async () => {
    const { id } = await make({ description: 'First', variables: [{ name: 'name' }], tags: ['kept'] });
    await change(id, { title: 'Farewell', description: '', content: 'Say goodbye.', variables: [] });
    const first = (await versions(id)).rows.at(-1) as VersionRow;
    expect(await restore(id, first.id)).toMatchObject({
      kind: 'restored',
      prompt: {
        title: 'Greeting',
        description: 'First',
        variables: [{ name: 'name' }],
        tags: ['kept'],
        currentVersion: 3,
      },
    });
    expect((await versions(id)).rows[0]).toMatchObject({ version: 3, changeLog: 'Restored version 1' });
    // What the prompt says already is no change.
    expect(await restore(id, first.id)).toMatchObject({ kind: 'restored', prompt: { currentVersion: 3 } });
    expect((await versions(id)).rows).toHaveLength(3);
  });

  it('know versions of their own only', async () => {
    const [one, other] = [await make(), await make({ title: 'Other' })];
    const [foreign] = (await versions(other.id)).rows;
    expect(await restore(one.id, foreign?.id ?? '')).toEqual({ kind: 'no_version' });
    expect(await restore(randomUuid(), foreign?.id ?? '')).toEqual({ kind: 'no_prompt' });
  });

  it('stay within their tenant', async () => {
    const { id } = await make();
    const [version] = (await versions(id)).rows;
    const stranger = await TestTenant.create(postgres.database);
    expect(await find(id, stranger.id)).toBeNull();
    expect(await change(id, { title: 'Mine' }, stranger.id)).toBeNull();
    expect(await restore(id, version?.id ?? '', stranger.id)).toEqual({ kind: 'no_prompt' });
    expect((await versions(id, {}, stranger.id)).rows).toEqual([]);
    expect((await list({}, stranger.id)).rows).toEqual([]);
    const remove = (tenantId: string) =>
      postgres.database.transaction((transaction) => deletePrompt(transaction, tenantId, id));
    expect(await remove(stranger.id)).toBe(false);
    const known = await postgres.database.read((manager) => filterPrompts(manager, stranger.id, [id]));
    expect([...known]).toEqual([]);
    expect(await find(id)).toMatchObject({ title: 'Greeting' });
  });

  it('are deleted with their versions and out of their collections', async () => {
    const { id } = await make();
    const kept = await make({ title: 'Kept' });
    await postgres.database.transaction(async (transaction) => {
      const collection = await insertCollection(transaction, tenant.id, { name: 'All' });
      await addCollectionItems(transaction, tenant.id, collection.id, [id, kept.id], 'prompt');
      expect(await deletePrompt(transaction, tenant.id, id)).toBe(true);
      expect(await deletePrompt(transaction, tenant.id, id)).toBe(false);
    });
    expect(await find(id)).toBeNull();
    expect(await postgres.query('SELECT 1 FROM prompt_versions WHERE prompt_id = $1', [id])).toEqual([]);
    const members = await postgres.query('SELECT item_id FROM collection_items WHERE tenant_id = $1', [tenant.id]);
    expect(members).toEqual([{ item_id: kept.id }]);
  });

  it('are listed newest first, in pages, and by words and tags', async () => {
    await make({ title: '50% off', description: 'A sale', tags: ['a', 'b'] });
    await make({ title: '50 off', tags: ['a'] });
    await make({ title: 'Plain', description: 'no SALE' });
    expect(titlesOf(await list())).toEqual(['Plain', '50 off', '50% off']);
    expect(titlesOf(await list({ search: '50%' }))).toEqual(['50% off']);
    expect(titlesOf(await list({ search: 'sale' }))).toEqual(['Plain', '50% off']);
    expect(titlesOf(await list({ tags: ['a'] }))).toEqual(['50 off', '50% off']);
    expect(titlesOf(await list({ tags: ['b', 'a'] }))).toEqual(['50% off']);
    const first = await list({ limit: 2 });
    expect(first).toMatchObject({ hasMore: true });
    const second = await list({ limit: 2, cursor: first.cursor ?? '' });
    expect([...titlesOf(first), ...titlesOf(second)]).toEqual(['Plain', '50 off', '50% off']);
    expect(second).toMatchObject({ hasMore: false, cursor: null });
  });

  it('have versions in pages that no content makes too large', async () => {
    const { id } = await make();
    const large = 'x'.repeat(VERSIONS_PAGE_CHARACTERS / 2);
    for (const end of ['a', 'b', 'c']) await change(id, { content: large + end });
    const numbers: number[][] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof versions>> = await versions(id, cursor === null ? {} : { cursor });
      numbers.push(page.rows.map((row) => row.version));
      cursor = page.cursor;
    } while (cursor !== null);
    expect(numbers).toEqual([[4], [3], [2, 1]]);
    expect((await versions(id, { limit: 1 })).rows).toHaveLength(1);
    await expect(versions(id, { cursor: 'nonsense' })).rejects.toThrow('cursor must be a cursor');
  });

  it('lose no change when two come at once', async () => {
    const { id } = await make();
    await Promise.all([change(id, { title: 'Changed' }), change(id, { content: 'Changed too.' })]);
    expect(await find(id)).toMatchObject({ title: 'Changed', content: 'Changed too.', currentVersion: 3 });
  });
});
