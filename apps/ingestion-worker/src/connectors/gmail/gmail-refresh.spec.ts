import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { collect, collectChanges, collectIds, loadText } from '../testing/collect-batches.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { GmailConnector } from './gmail.connector.js';
import { encode, ScriptedGmail, type TestMail } from './testing/scripted-gmail.js';

const THREADS = '/gmail/v1/users/me/threads';

function mail(id: string, labelIds = ['INBOX'], parts: unknown[] = []): TestMail {
  const headers = [
    { name: 'From', value: 'Ana <ana@shop.example>' },
    { name: 'Subject', value: `About ${id}` },
  ];
  const text = { mimeType: 'text/plain', filename: '', body: { size: 4, data: encode(`Text of ${id}`) } };
  const payload = { mimeType: 'multipart/mixed', filename: '', headers, body: { size: 0 }, parts: [text, ...parts] };
  return { id, labelIds, internalDate: '1770000000000', payload };
}

const draft = (id: string): TestMail => mail(id, ['DRAFT']);
const table = { mimeType: 'text/csv', filename: 'table.csv', body: { size: 3, data: encode('a,b') } };

describe('GmailConnector, thread by thread', () => {
  let mailbox: ScriptedGmail;
  const connect = (pageSize = 50): GmailConnector =>
    new GmailConnector(
      { baseUrl: mailbox.server.url },
      { accessToken: 'at-1' },
      { allowPrivateAddresses: true, pageSize, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
    );
  const put = (id: string, messages: TestMail[]): void => {
    mailbox.threads.set(id, { historyId: '50', messages });
  };

  beforeEach(async () => {
    mailbox = new ScriptedGmail(await ScriptedProviderServer.start());
  });
  afterEach(() => mailbox.server.stop());

  it('reads threads by id as they are now: present, gone, and with nothing left but a draft', async () => {
    put('t1', [mail('m1', ['INBOX'], [table])]);
    put('t2', [draft('m2')]);
    put('t3', [mail('m3'), draft('m4')]);
    put('t4', [mail('m5')]);
    const changes = await collectChanges(connect(2).refresh(['t1', 't2', 't3', 'none', 't1:m1.1'], signal()));
    expect(changes.batches).toBe(2);
    expect([...changes.byId.keys()]).toEqual(['t1', 't1:m1.1', 't3']);
    expect(await loadText(changes.byId.get('t3'))).toContain('Text of m3');
    expect(changes.deletedIds).toEqual(expect.arrayContaining(['t2', 'none', 't2:m2.1']));
    expect(changes.deletedIds).not.toContain('t3');
    expect(changes.failures).toEqual([]);
    expect(mailbox.server.callsOf(`${THREADS}/t1`)).toHaveLength(1);
    expect(mailbox.server.callsOf(THREADS)).toEqual([]);
  });

  it('names a thread with a draft as one that may exist, so that a lingering draft is not missed', async () => {
    put('t1', [mail('m1')]);
    put('t2', [draft('m2')]);
    put('t3', [mail('m3'), draft('m4')]);
    const named: string[] = [];
    const guessed: string[] = [];
    for await (const page of connect().listIds(signal())) {
      if ('onlyUnder' in page) throw new Error('nothing is left out');
      const { ids, areGuesses = false } = Array.isArray(page) ? { ids: page } : page;
      (areGuesses ? guessed : named).push(...ids);
    }
    expect(named).toEqual(['t1']);
    // What is stored of them stays all the same.
    expect(guessed).toEqual(expect.arrayContaining(['t2', 't3']));
    expect(await collectIds(connect())).toEqual(expect.arrayContaining(['t1', 't2', 't3']));
    expect(mailbox.server.callsOf(THREADS)[0]?.query.getAll('labelIds')).toEqual(['DRAFT']);
  });

  it('takes threads that fail in a row for an outage, also where it is told to give up', async () => {
    for (const id of ['t1', 't2', 't3', 't4', 't5']) put(id, [mail(`m-${id}`)]);
    const fail = (...ids: string[]): void => {
      for (const id of ids) mailbox.server.on(`${THREADS}/${id}`, () => ({ status: 503 }));
    };
    fail('t2', 't4');
    const alone = await collect(connect(), null, { giveUp: true });
    expect([...alone.byId.keys()]).toEqual(['t1', 't3', 't5']);
    expect(alone.failures.map(({ externalId }) => externalId)).toEqual(['t2', 't4']);
    const refreshed = await collectChanges(connect().refresh(['t1', 't2', 't3'], signal(), { giveUp: true }));
    expect(refreshed.failures).toMatchObject([
      { externalId: 't2', error: { code: 'CONNECTOR.UNAVAILABLE', retryable: true } },
    ]);
    fail('t3');
    // Two neighbours may both be broken for good.
    mailbox.server.on(`${THREADS}/t4`, () => ({ body: { id: 't4', historyId: '50', messages: [mail('m-t4')] } }));
    const neighbours = await collect(connect(), null, { giveUp: true });
    expect([...neighbours.byId.keys()]).toEqual(['t1', 't4', 't5']);
    expect(neighbours.failures.map(({ externalId }) => externalId)).toEqual(['t2', 't3']);
    fail('t4');
    const outage = { code: 'CONNECTOR.UNAVAILABLE', retryable: true };
    await expect(collect(connect(), null, { giveUp: true })).rejects.toMatchObject(outage);
    const all = connect().refresh(['t2', 't3', 't4'], signal(), { giveUp: true });
    await expect(collectChanges(all)).rejects.toMatchObject(outage);
    await expect(collectChanges(connect().refresh(['t2'], signal()))).rejects.toMatchObject(outage);
  });

  function signal(): AbortSignal {
    return new AbortController().signal;
  }
});
