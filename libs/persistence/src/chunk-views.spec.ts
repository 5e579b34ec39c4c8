import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { EXPAND_DIRECTIONS, type ExpandDirection, type Level } from '@candor/contracts';
import { Database } from './database.js';
import type { NewChunk } from './repositories/item-completion.repository.js';
import { RetrievalViews } from './retrieval-views.js';
import { buildChunk, buildDocument, TestTenant } from './testing.js';
import { describeOnPostgres } from './testing/describe-on-postgres.js';

/** Level and place of the parent; the text of each is its number. */
const TREE: [Level, number | null][] = [
  ['document', null],
  ['paragraph', 0],
  ['section', 0],
  ['paragraph', 2],
  ['section', 2],
  ['paragraph', 4],
  ['paragraph', 4],
  ['section', 0],
  ['paragraph', 7],
];
const TEXT = '🙂 0 1 2 3 4 5 6 7 8';

/** As the chunker links them: neighbours are those on the same level, across sections. */
function buildTree(chunking?: string): NewChunk[] {
  const ids = TREE.map(() => randomUuid());
  return TREE.map(([level, parent], ordinal) => {
    const sameLevel = TREE.map((_, place) => place).filter((place) => TREE[place]?.[0] === level);
    const at = sameLevel.indexOf(ordinal);
    const idAt = (place: number | null | undefined): string | null => ids[place ?? -1] ?? null;
    return buildChunk(TEXT, {
      id: ids[ordinal]!,
      ordinal,
      level,
      parentId: idAt(parent),
      previousId: idAt(sameLevel[at - 1]),
      nextId: idAt(sameLevel[at + 1]),
      start: TEXT.indexOf(String(ordinal)),
      end: TEXT.indexOf(String(ordinal)) + 1,
      ...(chunking === undefined ? {} : { chunking }),
    });
  });
}

describeOnPostgres('expandChunk', (postgres) => {
  let reader: Database;
  let views: RetrievalViews;
  let tenant: TestTenant;
  let itemId: string;
  let tree: NewChunk[];

  beforeAll(() => {
    reader = new Database({ url: postgres.url, applicationName: 'views', readOnly: true, unscoped: 'owner' });
    views = new RetrievalViews(reader);
  });
  afterAll(() => reader.close());
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
    ({ itemId, tree } = await addTree(buildDocument()));
  });

  async function addTree(document: ReturnType<typeof buildDocument>): Promise<{ itemId: string; tree: NewChunk[] }> {
    const item = await tenant.acceptOne(document);
    const chunks = buildTree();
    await tenant.extract(item, TEXT);
    await tenant.complete(item, chunks);
    return { itemId: item.itemId, tree: chunks };
  }
  /** The numbers that stand there. */
  async function expand(from: number, direction: ExpandDirection, count: number): Promise<string> {
    const expansion = await views.expandChunk(tenant.id, tree[from]?.id ?? '', { direction, count });
    expect(expansion?.chunk.ordinal).toBe(from);
    for (const found of expansion?.found ?? []) expect(found.ordinal).toBe(Number(found.content));
    return (expansion?.found ?? []).map((found) => found.content).join(' ');
  }

  it.each<[number, ExpandDirection, number, string]>([
    [5, 'up', 1, '4'],
    [5, 'up', 2, '4 2'],
    [5, 'up', 9, '4 2 0'],
    [0, 'up', 9, ''],
    [0, 'down', 9, '1 2 7'],
    [0, 'down', 2, '1 2'],
    [2, 'down', 9, '3 4'],
    [4, 'down', 9, '5 6'],
    [8, 'down', 9, ''],
    [3, 'next', 1, '5'],
    [3, 'next', 9, '5 6 8'],
    [8, 'next', 9, ''],
    [2, 'next', 9, '4 7'],
    [6, 'previous', 1, '5'],
    [6, 'previous', 9, '1 3 5'],
    [1, 'previous', 9, ''],
    [5, 'surrounding', 1, '3 6'],
    [5, 'surrounding', 9, '1 3 6 8'],
    [1, 'surrounding', 2, '3 5'],
    [0, 'surrounding', 9, ''],
  ])('from %i %s, %i at most: %j', async (from, direction, count, expected) => {
    expect(await expand(from, direction, count)).toBe(expected);
  });

  it('stays within the version and the way of cutting of the chunk it starts from', async () => {
    const again = buildTree('other');
    const before = await Promise.all(EXPAND_DIRECTIONS.map((direction) => expand(4, direction, 50)));
    await tenant.add(buildDocument({ body: TEXT }));
    expect(await Promise.all(EXPAND_DIRECTIONS.map((direction) => expand(4, direction, 50)))).toEqual(before);
    tree = again;
    await postgres.query(
      `INSERT INTO chunks (id, tenant_id, item_id, version, ordinal, level, parent_id, previous_id, next_id, start_index,
         end_index, section_path, chunking)
       SELECT d.id, $1, $2, 1, d.ordinal, d.level, d."parentId", d."previousId", d."nextId", d.start, d."end", '{}', 'other'
       FROM jsonb_to_recordset($3::jsonb) AS d(id uuid, ordinal integer, level text, "parentId" uuid, "previousId" uuid,
         "nextId" uuid, start integer, "end" integer) ON CONFLICT DO NOTHING`,
      [tenant.id, itemId, JSON.stringify(again)],
    );
    expect(await Promise.all(EXPAND_DIRECTIONS.map((direction) => expand(4, direction, 50)))).toEqual(before);
  });

  it('knows chunks of older versions, and none of deleted items or other tenants', async () => {
    const step = { direction: 'down', count: 5 } as const;
    const root = tree[0]?.id ?? '';
    expect(await views.expandChunk(randomUuid(), root, step)).toBeNull();
    expect(await views.expandChunk(tenant.id, randomUuid(), step)).toBeNull();
    const document = buildDocument({ externalId: 'edited', body: 'first' });
    const old = await addTree(document);
    await tenant.add({ ...document, body: 'second' });
    const expansion = await views.expandChunk(tenant.id, old.tree[0]?.id ?? '', step);
    expect(expansion?.found.map((found) => [found.version, found.content])).toEqual([
      [1, '1'],
      [1, '2'],
      [1, '7'],
    ]);
    await tenant.tombstone(itemId);
    expect(await views.expandChunk(tenant.id, root, step)).toBeNull();
  });
});
