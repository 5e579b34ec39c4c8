import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { GmailConnector } from '../../connectors/gmail/gmail.connector.js';
import { encode, ScriptedGmail, type TestMail } from '../../connectors/gmail/testing/scripted-gmail.js';
import { ScriptedProviderServer } from '../../connectors/testing/scripted-provider.server.js';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
const THREADS = '/gmail/v1/users/me/threads';

// Days of runs.
jest.setTimeout(30_000);

withPostgres('drafts that linger in a mailbox', () => {
  let test: TestDatabase;
  let mailbox: ScriptedGmail;
  let harness: SyncHarness;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    mailbox = new ScriptedGmail(await ScriptedProviderServer.start());
    harness = await SyncHarness.create(test.database, { provider: 'gmail', credentials: { accessToken: 'at-1' } });
    harness.open = (overrides) =>
      new GmailConnector(
        { baseUrl: mailbox.server.url },
        { accessToken: 'at-1' },
        { allowPrivateAddresses: true, retry: overrides?.retry ?? { budgetMs: 100, firstPauseMs: 1 } },
      );
    put('sent', mail('m1', ['INBOX']));
    put('answered', mail('m2', ['INBOX']), mail('m3', ['DRAFT']));
    put('draft', mail('m4', ['DRAFT']));
    await harness.sync();
  });
  afterEach(() => mailbox.server.stop());

  function mail(id: string, labelIds: string[]): TestMail {
    const body = { size: 4, data: encode(`Text of ${id}`) };
    return {
      id,
      labelIds,
      internalDate: '1770000000000',
      payload: { mimeType: 'text/plain', filename: '', headers: [], body },
    };
  }
  const put = (id: string, ...messages: TestMail[]): void => {
    mailbox.threads.set(id, { historyId: '50', messages });
  };
  const passDays = async (days: number): Promise<void> => {
    for (let day = 0; day < days; day += 1) {
      await harness.sync();
      await harness.sync('reconcile');
    }
  };
  const countFullRuns = async (): Promise<number> => {
    const rows = await harness.query(`SELECT 1 FROM sync_runs WHERE source_id = $1 AND mode = 'full'`, [
      harness.sourceId,
    ]);
    return rows.length;
  };
  const living = async (): Promise<string[]> =>
    [...(await harness.items()).values()]
      .flatMap(({ external_id, deleted_at }) => (deleted_at === null ? [external_id] : []))
      .sort();

  it('are not asked for, and cost no full run', async () => {
    mailbox.server.calls = [];
    await passDays(4);
    expect(mailbox.server.calls.filter(({ path }) => path.startsWith(`${THREADS}/`))).toEqual([]);
    expect([await countFullRuns(), await living()]).toEqual([0, ['answered', 'sent']]);
  });

  it('are asked for once where a listing does not tell them from mails', async () => {
    mailbox.server.on(THREADS, ({ query }) => {
      const all = query.has('labelIds') ? [] : [...mailbox.threads].map(([id, { historyId }]) => ({ id, historyId }));
      return { body: { threads: all } };
    });
    mailbox.server.calls = [];
    await passDays(5);
    expect(mailbox.server.callsOf(`${THREADS}/draft`)).toHaveLength(1);
    expect([await countFullRuns(), await living()]).toEqual([0, ['answered', 'sent']]);
  });

  it('come with the changes once they are sent', async () => {
    await passDays(3);
    put('draft', mail('m5', ['SENT']));
    mailbox.note({ messagesAdded: [{ message: { id: 'm5', threadId: 'draft' } }] });
    await passDays(1);
    expect(await living()).toEqual(['answered', 'draft', 'sent']);
  });
});
