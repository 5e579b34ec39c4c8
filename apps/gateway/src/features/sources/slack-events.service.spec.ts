import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { insertSource } from '@candor/persistence';
import {
  buildDocument,
  createTestDatabase,
  TestTenant,
  testServerUrl,
  type TestDatabase,
} from '@candor/persistence/testing';
import { createRequestContext, CredentialCipher, credentialOwner, runInRequestContext } from '@candor/runtime';
import { SlackEventsService } from './slack-events.service.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
const SIGNING_SECRET = 'planted-signing-secret';
const STORED = '1760000001.000100';
const UNSTORED = '1760000002.000100';

withPostgres('an event of Slack that tells of a deleted message', () => {
  let test: TestDatabase;
  let tenant: TestTenant;
  let service: SlackEventsService;
  let sourceId: string;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    tenant = await TestTenant.create(test.database);
    const cipher = new CredentialCipher(`test:${randomBytes(32).toString('base64')}`);
    service = new SlackEventsService(test.database, cipher);
    const credentials = { botToken: 'xoxb-1', signingSecret: SIGNING_SECRET };
    sourceId = await test.database.transaction((transaction) =>
      insertSource(
        transaction,
        tenant.id,
        {
          provider: 'slack',
          name: 'Workspace',
          settings: {},
          credentialFields: Object.keys(credentials),
          syncEveryMinutes: null,
          reconcileEveryMinutes: null,
        },
        (id) => cipher.seal(JSON.stringify(credentials), credentialOwner({ tenantId: tenant.id, id })),
      ),
    );
    await tenant.add(buildDocument({ connectorId: sourceId, externalId: `C1:${STORED}` }));
  });

  async function tellDeleted(ts: string): Promise<void> {
    const event = { type: 'message', subtype: 'message_deleted', channel: 'C1', deleted_ts: ts };
    const body = Buffer.from(JSON.stringify({ type: 'event_callback', event }));
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const digest = createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:`).update(body).digest('hex');
    const take = () => service.take(sourceId, { body, timestamp, signature: `v0=${digest}` });
    await runInRequestContext(createRequestContext(randomUUID()), take);
  }
  const idsIn = (sql: string): Promise<string[]> =>
    test.database.read(async (manager) =>
      (await manager.query<{ external_id: string }[]>(sql, [sourceId])).map((row) => row.external_id),
    );
  const hidden = () => idsIn('SELECT external_id FROM source_items WHERE connector_id = $1 AND deleted_at IS NOT NULL');
  const wanted = () => idsIn('SELECT external_id FROM source_rereads WHERE source_id = $1');

  it('hides it, and asks for nothing more about it', async () => {
    await tellDeleted(STORED);
    expect(await hidden()).toEqual([`C1:${STORED}`]);
    expect(await wanted()).toEqual([]);
  });

  it('has it read again where it is not stored: a run may be about to store it', async () => {
    await tellDeleted(UNSTORED);
    expect(await hidden()).toEqual([]);
    expect(await wanted()).toEqual([`C1:${UNSTORED}`]);
  });
});
