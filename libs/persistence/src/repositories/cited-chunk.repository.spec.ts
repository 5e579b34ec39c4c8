import { beforeAll, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { buildDocument, TestTenant } from '../testing.js';
import { serviceViewer, type Visibility } from '../visibility.js';
import { findCitedChunks, findVersionByHash, readVersionText } from './cited-chunk.repository.js';

describeOnPostgres('cited chunks', (postgres) => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await TestTenant.create(postgres.database);
  });
  const find = async (chunkIds: string[], viewer: Partial<Visibility> = {}) => [
    ...(
      await postgres.database.read((manager) =>
        findCitedChunks(manager, { ...serviceViewer(tenant.id), ...viewer }, chunkIds),
      )
    ).values(),
  ];

  it('are found for those who may read them, in whatever version', async () => {
    const document = buildDocument({
      externalId: 'a',
      accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:a@x.org'] },
    });
    const first = await tenant.add(document);
    const second = await tenant.add({ ...document, body: 'Another text.' });
    const expected = { itemId: first.itemId, startIndex: 0, liveVersion: 2 };
    const [stored] = await postgres.query<{ content_hash: string }>(
      'SELECT content_hash FROM item_versions WHERE item_id = $1 AND version = 1',
      [first.itemId],
    );
    const contentHash = stored?.content_hash;
    expect(await find([first.chunkId])).toEqual([
      { ...expected, chunkId: first.chunkId, version: 1, contentHash, endIndex: document.body.length },
    ]);
    expect(await find([second.chunkId, randomUuid()])).toMatchObject([{ version: 2, liveVersion: 2 }]);
    expect(await find([second.chunkId], { principals: ['user:a@x.org'] })).toHaveLength(1);
    expect(await find([second.chunkId], { principals: ['user:b@x.org'] })).toEqual([]);
    expect(await find([second.chunkId], { providers: ['notion'] })).toEqual([]);
    expect(await find([second.chunkId], { tenantId: (await TestTenant.create(postgres.database)).id })).toEqual([]);
    await tenant.tombstone(first.itemId);
    expect(await find([first.chunkId, second.chunkId])).toEqual([]);
  });

  it('know their version by its content hash', async () => {
    const document = buildDocument({ externalId: 'b', body: 'One.' });
    const item = await tenant.add(document);
    await tenant.add({ ...document, body: 'Two.' });
    await tenant.add(document);
    const hashes = await postgres.query<{ version: number; content_hash: string }>(
      'SELECT version, content_hash FROM item_versions WHERE item_id = $1 ORDER BY version',
      [item.itemId],
    );
    const versionOf = (contentHash: string, preferred: number, tenantId = tenant.id) =>
      postgres.database.read((manager) =>
        findVersionByHash(manager, tenantId, item.itemId, { contentHash, preferred }),
      );
    const [one, two] = hashes.map((row) => row.content_hash);
    expect(await versionOf(one ?? '', 1)).toBe(1);
    expect(await versionOf(one ?? '', 2)).toBe(3);
    expect(await versionOf(two ?? '', 1)).toBe(2);
    expect(await versionOf('0'.repeat(64), 1)).toBeNull();
    expect(await versionOf(one ?? '', 1, randomUuid())).toBeNull();
    const read = (version: number, tenantId = tenant.id) =>
      postgres.database.read((manager) => readVersionText(manager, tenantId, item.itemId, version));
    expect(await read(2)).toBe('Two.');
    expect(await read(2, randomUuid())).toBeNull();
    expect(await read(9)).toBeNull();
  });
});
