import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AccessPolicy } from '@candor/contracts';
import { findTombstone } from '@candor/persistence';
import {
  buildDocument,
  createTestDatabase,
  TestTenant,
  testServerUrl,
  type TestDatabase,
} from '@candor/persistence/testing';
import { createRequestContext, runInRequestContext } from '@candor/runtime';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { SourceItemsService } from './source-items.service.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('deleting an item', () => {
  let test: TestDatabase;
  let tenant: TestTenant;
  let items: SourceItemsService;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    items = new SourceItemsService(test.database, new RequestTransaction(test.database));
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    tenant = await TestTenant.create(test.database);
  });

  function remove(itemId: string, principals: string[] | null = null): Promise<unknown> {
    const scope = {
      tenantId: tenant.id,
      apiKeyId: randomUUID(),
      actorType: 'service',
      allowedActions: ['documents:write'],
      allowedProviders: null,
      principals,
    };
    const context = createRequestContext(randomUUID(), {
      apiKey: { scope },
      audit: { metadata: {}, committed: false, action: 'item.delete' },
    });
    return runInRequestContext(context, () => items.delete(itemId));
  }

  it('is decided by the policy of the moment, which may be changing', async () => {
    const accessPolicy: AccessPolicy = { provider: 'slack', mode: 'acl', principals: ['user:bob@x.example'] };
    const { itemId } = await tenant.acceptOne(buildDocument({ accessPolicy }));
    let removing: Promise<unknown> = Promise.resolve();
    await test.database.transaction(async (transaction) => {
      await transaction.query(`UPDATE source_items SET principals = '{user:alice@x.example}' WHERE id = $1`, [itemId]);
      removing = remove(itemId, ['user:bob@x.example']).catch((error: unknown) => error);
      for (let waiting: unknown[] = []; waiting.length === 0;)
        waiting = await test.database.read((manager) =>
          manager.query(
            `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
          ),
        );
    });
    expect(await removing).toMatchObject({ code: 'RESOURCE.NOT_FOUND' });
    const item = await test.database.read((manager) => findTombstone(manager, tenant.id, itemId));
    expect(item?.deletedAt).toBeNull();
  });

  it('holds when the source names it again', async () => {
    const document = buildDocument({ connectorId: randomUUID() });
    const { itemId } = await tenant.acceptOne(document);
    expect(await remove(itemId)).toEqual({ sourceItemId: itemId, status: 'deleting' });
    expect(await tenant.acceptOne(document)).toMatchObject({ itemId, status: 'skipped', isKeptDeleted: true });
  });

  it('holds for one that its source had deleted before', async () => {
    const document = buildDocument({ connectorId: randomUUID() });
    const { itemId } = await tenant.acceptOne(document);
    await tenant.tombstone(itemId);
    expect(await remove(itemId)).toEqual({ sourceItemId: itemId, status: 'deleting' });
    expect(await tenant.acceptOne(document)).toMatchObject({ isKeptDeleted: true });
  });

  it('lets what was pushed without a source come back as a new item', async () => {
    const document = buildDocument();
    const { itemId } = await tenant.acceptOne(document);
    await remove(itemId);
    const again = await tenant.acceptOne(document);
    expect(again).toMatchObject({ status: 'accepted', version: 1 });
    expect(again.itemId).not.toBe(itemId);
  });
});
