import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AccessPolicy, IngestResponse } from '@candor/contracts';
import { findSourceItem, markDeletedByCaller, type NewDocument, type SourceItemDetails } from '@candor/persistence';
import {
  buildDocument,
  createTestDatabase,
  TestTenant,
  testServerUrl,
  type TestDatabase,
} from '@candor/persistence/testing';
import { createRequestContext, runInRequestContext } from '@candor/runtime';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { IngestService } from './ingest.service.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

const ALICE = 'user:alice@x.example';
const BOB = 'user:bob@x.example';
const ofAlice: AccessPolicy = { provider: 'slack', mode: 'acl', principals: [ALICE] };
const ofBob: AccessPolicy = { provider: 'slack', mode: 'acl', principals: [BOB] };

const refusalOf = (index: number): object => ({
  code: 'AUTH.ACTION_NOT_ALLOWED',
  message: `documents[${index}].externalId is not one that this API key may use.`,
  details: { field: `documents[${index}].externalId` },
});

withPostgres('what a key with principals pushes', () => {
  let test: TestDatabase;
  let tenant: TestTenant;
  let ingest: IngestService;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    ingest = new IngestService(new RequestTransaction(test.database), {
      searchDeadlineMs: 1_000,
      reasonDeadlineMs: 1_000,
    });
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    tenant = await TestTenant.create(test.database);
  });

  function push(
    documents: readonly NewDocument[],
    principals: string[] | null = [BOB],
    apiKeyId: string = randomUUID(),
  ): Promise<IngestResponse> {
    const scope = {
      tenantId: tenant.id,
      apiKeyId,
      actorType: 'application',
      allowedActions: ['ingest'],
      allowedProviders: ['slack'],
      principals,
    };
    const context = createRequestContext(randomUUID(), {
      apiKey: { scope, tenant: { quotas: {} } },
      audit: { metadata: {}, committed: false, action: 'ingest.request' },
    });
    return runInRequestContext(context, () => ingest.accept(documents));
  }

  async function read(itemId: string): Promise<SourceItemDetails['item']> {
    const found = await test.database.read((manager) => findSourceItem(manager, tenant.id, itemId));
    if (!found) throw new Error('not found');
    return found.item;
  }

  /** Until so many sessions wait for a lock. */
  async function untilWaiting(count: number): Promise<void> {
    for (let waiting: unknown[] = []; waiting.length < count;)
      waiting = await test.database.read((manager) =>
        manager.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`),
      );
  }

  async function remove(itemId: string): Promise<void> {
    await tenant.tombstone(itemId);
    await test.database.transaction((transaction) => markDeletedByCaller(transaction, tenant.id, itemId));
  }

  it.each<[string, AccessPolicy | null]>([
    ['another’s', ofAlice],
    ['one that names nobody', { provider: 'slack', mode: 'acl', principals: [] }],
    ['one without a policy', null],
  ])('replaces nothing that the key may not see: %s', async (_what, accessPolicy) => {
    const hidden = buildDocument({ accessPolicy });
    const { itemId } = await tenant.add(hidden);
    const fresh = buildDocument({ accessPolicy: ofBob });
    for (const write of [hidden, { ...hidden, body: 'Mine now.', accessPolicy: ofBob }])
      await expect(push([fresh, write])).rejects.toMatchObject(refusalOf(1));
    expect(await read(itemId)).toMatchObject({ latestVersion: 1, accessPolicy });
    // Of the whole call nothing was stored.
    expect((await push([fresh])).items).toMatchObject([{ version: 1, status: 'accepted' }]);
  });

  it('is refused as well where nothing of the item can be searched yet', async () => {
    const hidden = buildDocument({ accessPolicy: ofAlice });
    await tenant.acceptOne(hidden);
    await expect(push([hidden])).rejects.toMatchObject(refusalOf(0));
  });

  it.each<[string, AccessPolicy]>([
    ['everybody’s', { provider: 'slack', mode: 'provider_scope' }],
    ['shared', { provider: 'slack', mode: 'acl', principals: [ALICE, BOB] }],
    ['anyone’s', { provider: 'slack', mode: 'acl', principals: ['anyone'] }],
  ])('replaces what the key may see: %s', async (_what, accessPolicy) => {
    const document = buildDocument({ accessPolicy });
    await tenant.add(document);
    expect((await push([{ ...document, body: 'Newer.' }])).items).toMatchObject([{ version: 2 }]);
  });

  it('replaces what the key pushed itself without a policy, and gives it one', async () => {
    const document = buildDocument({ accessPolicy: null });
    const apiKeyId = randomUUID();
    const [pushed] = (await push([document], [BOB], apiKeyId)).items;
    const itemId = pushed?.sourceItemId ?? '';
    await expect(push([document], [BOB])).rejects.toMatchObject(refusalOf(0));
    await push([{ ...document, accessPolicy: ofBob }], [BOB], apiKeyId);
    expect(await read(itemId)).toMatchObject({ accessPolicy: ofBob });
    // From here on it is as closed to the key as its policy says.
    await push([{ ...document, accessPolicy: ofAlice }], [BOB], apiKeyId);
    await expect(push([document], [BOB], apiKeyId)).rejects.toMatchObject(refusalOf(0));
  });

  it('may come again as it was, as after an answer that got lost, though it is for others alone', async () => {
    const document = buildDocument({ accessPolicy: ofAlice });
    const apiKeyId = randomUUID();
    await push([document], [BOB], apiKeyId);
    expect((await push([document], [BOB], apiKeyId)).items).toMatchObject([{ version: 1, status: 'skipped' }]);
    await expect(push([document], [BOB])).rejects.toMatchObject(refusalOf(0));
    for (const other of [{ body: 'Other.' }, { accessPolicy: ofBob }])
      await expect(push([{ ...document, ...other }], [BOB], apiKeyId)).rejects.toMatchObject(refusalOf(0));
  });

  it('is decided by the policy of the moment, which may be changing', async () => {
    const document = buildDocument({ accessPolicy: ofBob });
    const { itemId } = await tenant.add(document);
    let pushing: Promise<unknown> = Promise.resolve();
    await test.database.transaction(async (transaction) => {
      await transaction.query('SELECT id FROM source_items WHERE id = $1 FOR UPDATE', [itemId]);
      pushing = push([{ ...document, body: 'Mine.' }]).catch((error: unknown) => error);
      await untilWaiting(1);
      await transaction.query('UPDATE source_items SET principals = $2 WHERE id = $1', [itemId, [ALICE]]);
    });
    expect(await pushing).toMatchObject(refusalOf(0));
    expect(await read(itemId)).toMatchObject({ latestVersion: 1 });
  });

  it('gives way to another’s item that is made in the same moment', async () => {
    const document = buildDocument({ accessPolicy: ofAlice });
    let pushing: Promise<unknown> = Promise.resolve();
    await test.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO source_items (id, tenant_id, provider, external_id, source_kind, title, access_mode, principals)
         VALUES ($1, $2, 'slack', $3, 'message', 'Hers', 'acl', $4)`,
        [randomUUID(), tenant.id, document.externalId, [ALICE]],
      );
      pushing = push([{ ...document, accessPolicy: ofBob }]).catch((error: unknown) => error);
      await untilWaiting(1);
    });
    expect(await pushing).toMatchObject(refusalOf(0));
  });

  it('is no concern of keys that see everything', async () => {
    const hidden = buildDocument({ accessPolicy: ofAlice });
    const { itemId } = await tenant.add(hidden);
    expect((await push([{ ...hidden, body: 'Newer.' }], null)).items).toMatchObject([
      { sourceItemId: itemId, version: 2 },
    ]);
  });

  describe('under the name of a deleted item', () => {
    it('is a new item, of which it says nothing', async () => {
      const hidden = buildDocument({ accessPolicy: ofAlice });
      const { itemId } = await tenant.add(hidden);
      await remove(itemId);
      const { items } = await push([{ ...hidden, accessPolicy: ofBob }]);
      expect(items).toMatchObject([{ version: 1, status: 'accepted' }]);
      expect(items[0]?.sourceItemId).not.toBe(itemId);
    });

    it('is refused where a source’s item stays deleted that the key never pushed', async () => {
      const hidden = buildDocument({ accessPolicy: ofAlice, connectorId: randomUUID() });
      const item = await tenant.add(hidden);
      await remove(item.itemId);
      await expect(push([hidden])).rejects.toMatchObject(refusalOf(0));
      await tenant.purge(item);
      await expect(push([hidden])).rejects.toMatchObject(refusalOf(0));
      expect((await push([hidden], null)).items).toMatchObject([{ sourceItemId: item.itemId, status: 'skipped' }]);
    });

    const apiKeyId = randomUUID();
    it.each<[string, AccessPolicy, string]>([
      ['the key pushed itself', ofBob, apiKeyId],
      ['everybody could see', { provider: 'slack', mode: 'provider_scope' }, randomUUID()],
    ])(
      'is skipped where that is one that %s, before its content is gone and after',
      async (_, accessPolicy, pusher) => {
        const document = buildDocument({ accessPolicy, connectorId: randomUUID() });
        const [pushed] = (await push([document], [BOB], pusher)).items;
        const itemId = pushed?.sourceItemId ?? '';
        await tenant.index({ itemId, version: 1 });
        await remove(itemId);
        const answer = [{ sourceItemId: itemId, version: 1, status: 'skipped' }];
        expect((await push([document], [BOB], apiKeyId)).items).toMatchObject(answer);
        await tenant.purge({ itemId, version: 1 });
        expect((await push([document], [BOB], apiKeyId)).items).toMatchObject(answer);
      },
    );
  });
});
