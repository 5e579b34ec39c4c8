import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GmailSettings } from '@candor/contracts';
import { collect, collectIds, loadText } from '../testing/collect-batches.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { GmailConnector } from './gmail.connector.js';
import { encode, ScriptedGmail, type TestMail } from './testing/scripted-gmail.js';

const T0 = Date.parse('2026-02-01T08:00:00Z');

function textPart(content: string | Buffer, charset = 'UTF-8', mimeType = 'text/plain'): Record<string, unknown> {
  return {
    mimeType,
    filename: '',
    headers: [{ name: 'Content-Type', value: `${mimeType}; charset="${charset}"` }],
    body: { size: content.length, data: encode(content) },
  };
}

function mail(
  id: string,
  minute: number,
  payload: Record<string, unknown>,
  headers: Record<string, string> = {},
): TestMail {
  const all = { From: 'Ana Costa <ana@shop.example>', To: 'ben@shop.example', Subject: 'Plan', ...headers };
  const stated = Array.isArray(payload['headers']) ? (payload['headers'] as unknown[]) : [];
  return {
    id,
    labelIds: ['INBOX'],
    internalDate: String(T0 + minute * 60_000),
    payload: { ...payload, headers: [...Object.entries(all).map(([name, value]) => ({ name, value })), ...stated] },
  };
}

const attachment = (name: string, mimeType: string, attachmentId: string, size = 10): Record<string, unknown> => ({
  mimeType,
  filename: name,
  headers: [{ name: 'Content-Disposition', value: `attachment; filename="${name}"` }],
  body: { attachmentId, size },
});

describe('GmailConnector', () => {
  let mailbox: ScriptedGmail;
  const connect = (settings: GmailSettings = {}, pageSize = 50): GmailConnector =>
    new GmailConnector(
      { baseUrl: mailbox.server.url, ...settings },
      { accessToken: 'at-1' },
      { allowPrivateAddresses: true, pageSize, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
    );
  const put = (id: string, messages: TestMail[], historyId = '50'): void => {
    mailbox.threads.set(id, { historyId, messages });
  };

  beforeEach(async () => {
    mailbox = new ScriptedGmail(await ScriptedProviderServer.start());
  });
  afterEach(() => mailbox.server.stop());

  it('gives a thread as one item: headers, own words of each reply, link, times, policy', async () => {
    put('t1', [
      mail(
        'm2',
        5,
        textPart(
          'Fine by me.\r\n\r\nOn Sun, 1 Feb 2026 at 08:00, Ana Costa <ana@shop.example> wrote:\r\n> Shall we?\r\n> Ana\r\n',
        ),
        {
          From: 'Ben <ben@shop.example>',
          To: 'ana@shop.example',
          Cc: 'cy@shop.example',
          Subject: 'Re: Plan',
        },
      ),
      mail('m1', 0, textPart('Shall we?\r\nAna')),
      { ...mail('m3', 9, textPart('not yet')), labelIds: ['DRAFT'] },
    ]);
    const { byId, failures } = await collect(connect());
    expect(failures).toEqual([]);
    expect(byId.get('t1')).toMatchObject({
      sourceKind: 'message',
      title: 'Plan',
      authorName: 'Ana Costa',
      url: 'https://mail.google.com/mail/?authuser=Ana%40shop.example#all/t1',
      sourceCreatedAt: '2026-02-01T08:00:00.000Z',
      sourceUpdatedAt: '2026-02-01T08:05:00.000Z',
      accessPolicy: {
        provider: 'gmail',
        mode: 'acl',
        principals: ['user:ana@shop.example'],
        mailbox: 'Ana@shop.example',
      },
    });
    expect(await loadText(byId.get('t1'))).toBe(
      [
        'From: "Ana Costa" <ana@shop.example>\nTo: ben@shop.example\nDate: 2026-02-01 08:00 UTC\nSubject: Plan',
        'Shall we?\nAna',
        'From: "Ben" <ben@shop.example>\nTo: ana@shop.example\nCc: cy@shop.example\nDate: 2026-02-01 08:05 UTC',
        'Fine by me.',
      ].join('\n\n'),
    );
  });

  it('says which mails a thread holds, and which mail outside of it the thread answers', async () => {
    const withIds = (messageId: string, inReplyTo?: string) => ({
      'Message-ID': messageId,
      ...(inReplyTo === undefined ? {} : { 'In-Reply-To': inReplyTo }),
    });
    put('t1', [
      mail('m2', 5, textPart('Fine.'), withIds('<two@shop.example>', '<one@shop.example>')),
      mail('m1', 0, textPart('Shall we?'), withIds('<one@shop.example>')),
      { ...mail('m3', 9, textPart('not yet'), withIds('<draft@shop.example>')), labelIds: ['DRAFT'] },
    ]);
    // A reply with another subject is a thread of its own to Gmail.
    put('t2', [
      mail('m4', 9, textPart('Next to it:'), withIds(' <four@shop.example>\r\n', '<two@shop.example> (sent)')),
    ]);
    put('t3', [mail('m5', 9, textPart('No ids'), { 'Message-ID': 'not an id' })]);
    const { byId } = await collect(connect());
    expect(byId.get('t1')?.metadata).toEqual({
      threadId: 't1',
      messageIds: ['m1', 'm2'],
      internetMessageIds: ['<one@shop.example>', '<two@shop.example>'],
      mailbox: 'Ana@shop.example',
    });
    expect(byId.get('t2')?.metadata).toMatchObject({
      internetMessageIds: ['<four@shop.example>'],
      inReplyTo: '<two@shop.example>',
    });
    expect(Object.keys(byId.get('t3')?.metadata ?? {})).toEqual(['threadId', 'messageIds', 'mailbox']);
  });

  it('reads odd encodings: charsets, encoded headers, HTML alone, large texts that come apart', async () => {
    const japanese = Buffer.from('1b2442467c4b5c386c1b2842', 'hex');
    mailbox.attachments['big'] = 'A very long letter';
    put('t1', [
      mail('m1', 0, textPart(Buffer.from([0x63, 0x61, 0x66, 0xe9]), 'iso-8859-1'), {
        Subject: '=?utf-8?B?w5xiZXJzaWNodA==?=',
        From: 'Zoë Ünal <zoe@shop.example>',
      }),
      mail('m2', 1, textPart(japanese, 'ISO-2022-JP')),
      mail('m3', 2, textPart(Buffer.from('שלום, UTF-8 after all'), 'windows-1252')),
      mail('m4', 3, textPart('<p>Only <b>HTML</b> &amp; so</p><script>alert(1)</script>', 'UTF-8', 'text/html')),
      mail('m5', 4, { mimeType: 'text/plain', filename: '', body: { attachmentId: 'big', size: 18 } }),
      mail('m6', 5, {
        mimeType: 'multipart/alternative',
        filename: '',
        body: { size: 0 },
        parts: [textPart('plain wins'), textPart('<p>html loses</p>', 'UTF-8', 'text/html')],
      }),
    ]);
    const { byId } = await collect(connect());
    expect(byId.get('t1')).toMatchObject({ title: 'Übersicht', authorName: 'Zoë Ünal' });
    const text = await loadText(byId.get('t1'));
    for (const words of [
      'café',
      '日本語',
      'שלום, UTF-8 after all',
      'Only HTML & so',
      'A very long letter',
      'plain wins',
    ]) {
      expect(text).toContain(words);
    }
    expect(text).not.toMatch(/alert|html loses/);
  });

  it('gives attachments as files of their own, and counts those that are not read', async () => {
    mailbox.attachments = { 'att-1': 'a,b\n1,2', 'att-9': 'a,b\n1,2' };
    const parts = [
      textPart('See attached.'),
      attachment('table.csv', 'text/csv', 'att-1', 7),
      attachment('movie.mp4', 'video/mp4', 'att-2'),
      { ...attachment('logo.png', 'image/png', 'att-3'), headers: [{ name: 'Content-ID', value: '<logo>' }] },
      { mimeType: 'application/json', filename: 'inline.json', body: { size: 2, data: encode('{}') } },
      attachment('huge.pdf', 'application/pdf', 'att-4', 200 * 1024 * 1024),
    ];
    put('t1', [mail('m1', 0, { mimeType: 'multipart/mixed', filename: '', body: { size: 0 }, parts })]);
    const { byId, failures } = await collect(connect());
    expect([...byId.keys()]).toEqual(['t1', 't1:m1.1', 't1:m1.3']);
    expect(byId.get('t1:m1.1')).toMatchObject({
      sourceKind: 'file',
      title: 'table.csv',
      authorName: 'Ana Costa',
      metadata: { threadId: 't1', messageId: 'm1', subject: 'Plan' },
      accessPolicy: { principals: ['user:ana@shop.example'] },
    });
    expect(failures.map(({ externalId, error }) => [externalId, error.code])).toEqual([
      ['t1:m1.2', 'CONNECTOR.ITEM_UNSUPPORTED'],
      ['t1:m1.4', 'CONNECTOR.ITEM_TOO_LARGE'],
    ]);
    // Gmail gives another attachment id in each answer.
    parts[1] = attachment('table.csv', 'text/csv', 'att-9', 7);
    put('t1', [mail('m1', 0, { mimeType: 'multipart/mixed', filename: '', body: { size: 0 }, parts })]);
    mailbox.attachments = { 'att-9': 'a,b\n1,2' };
    expect(await loadText(byId.get('t1:m1.1'))).toBe('a,b\n1,2');
    expect(await loadText(byId.get('t1:m1.3'))).toBe('{}');
    expect(await loadText(byId.get('t1'))).toContain('Attachment: table.csv\nAttachment: movie.mp4');
    expect(await collectIds(connect())).toEqual(expect.arrayContaining([...byId.keys()]));
    expect([...(await collect(connect({ includeAttachments: false }))).byId.keys()]).toEqual(['t1']);
  });

  it('follows the history: new mail, trash, deletions; labels that say nothing are passed over', async () => {
    put('t1', [mail('m1', 0, textPart('one'))]);
    put('t2', [mail('m2', 0, textPart('two'))]);
    put('t3', [mail('m3', 0, textPart('three'))]);
    const first = await collect(connect());
    expect(first.items).toHaveLength(3);
    mailbox.note({ labelsRemoved: [{ message: { id: 'm1', threadId: 't1' }, labelIds: ['UNREAD'] }] });
    const idle = await collect(connect(), first.cursor);
    expect([idle.items, idle.deletedIds]).toEqual([[], []]);

    put('t1', [mail('m1', 0, textPart('one')), mail('m4', 7, textPart('more'))]);
    put('t2', [{ ...mail('m2', 0, textPart('two')), labelIds: ['TRASH'] }]);
    mailbox.threads.delete('t3');
    mailbox.note({ messagesAdded: [{ message: { id: 'm4', threadId: 't1' } }] });
    mailbox.note({ labelsAdded: [{ message: { id: 'm2', threadId: 't2' }, labelIds: ['TRASH'] }] });
    mailbox.note({ messagesDeleted: [{ message: { id: 'm3', threadId: 't3' } }] });
    const second = await collect(connect({}, 2), idle.cursor);
    expect([...second.byId.keys()]).toEqual(['t1']);
    expect(second.byId.get('t1')?.contentRevision).not.toBe(first.byId.get('t1')?.contentRevision);
    expect(second.deletedIds).toEqual(expect.arrayContaining(['t2', 't2:m2.1', 't3', 't3:m3.1']));
    expect(second.deletedIds).not.toContain('t1');
    expect((await collect(connect(), second.cursor)).items).toEqual([]);
  });

  it('lists again by itself when the history is forgotten, and every time where there is none', async () => {
    put('t1', [mail('m1', 0, textPart('one'))]);
    const first = await collect(connect());
    put('t2', [mail('m2', 0, textPart('two'))]);
    mailbox.historyId = 900;
    mailbox.oldestHistoryId = 500;
    const second = await collect(connect(), first.cursor);
    expect([...second.byId.keys()]).toEqual(['t1', 't2']);
    expect(second.cursor).toMatchObject({ phase: 'history', historyId: '900' });
    mailbox.history = null;
    const third = await collect(connect(), null);
    const fourth = await collect(connect(), third.cursor);
    expect([third.items.length, fourth.items.length]).toEqual([2, 2]);
    expect(fourth.byId.get('t1')?.contentRevision).toBe(first.byId.get('t1')?.contentRevision);
  });

  it('lists with a query, and reads only threads that changed since', async () => {
    put('t1', [mail('m1', 0, textPart('one'))], '50');
    const first = await collect(connect({ query: 'label:team' }));
    expect(mailbox.server.callsOf('/gmail/v1/users/me/threads')[0]?.query.get('q')).toBe('label:team');
    expect((await collect(connect({ query: 'label:team' }), first.cursor)).items).toEqual([]);
    put('t1', [mail('m1', 0, textPart('one')), mail('m5', 9, textPart('more'))], '18446744073709551615');
    expect([...(await collect(connect({ query: 'label:team' }), first.cursor)).byId.keys()]).toEqual(['t1']);
  });

  it('goes on after any batch; a thread that vanished meanwhile is deleted', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) put(id, [mail(`m-${id}`, 0, textPart(id))]);
    const first = await collect(connect({}, 2), null, { batches: 1 });
    expect([...first.byId.keys()]).toEqual(['a', 'b']);
    mailbox.server.on('/gmail/v1/users/me/threads/d', () => ({
      status: 404,
      body: { error: { code: 404, message: 'gone', status: 'NOT_FOUND' } },
    }));
    const rest = await collect(connect({}, 2), first.cursor);
    expect([...rest.byId.keys()]).toEqual(['c', 'e']);
    expect(rest.deletedIds).toEqual(['d']);
  });

  it('fails a thread alone when it comes garbled, and when it keeps failing and the caller gives up', async () => {
    put('t1', [mail('m1', 0, textPart('one'))]);
    put('t2', [mail('m2', 0, textPart('two'))]);
    const first = await collect(connect());
    const thread = '/gmail/v1/users/me/threads/t1';
    mailbox.server.on(thread, () => ({ body: { id: 't1', messages: 'none' } }));
    const garbled = await collect(connect());
    expect([...garbled.byId.keys()]).toEqual(['t2']);
    expect(garbled.failures).toMatchObject([
      { externalId: 't1', error: { code: 'CONNECTOR.ITEM_UNREADABLE', details: { reason: 'malformed' } } },
    ]);
    mailbox.note({ messagesAdded: [{ message: { id: 'm1', threadId: 't1' } }] });
    expect((await collect(connect(), first.cursor)).failures).toHaveLength(1);
    mailbox.server.on(thread, () => ({ status: 503 }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE', retryable: true });
    const failing = await collect(connect(), null, { giveUp: true });
    expect([...failing.byId.keys()]).toEqual(['t2']);
    // Retryable still: a later run reads it again.
    expect(failing.failures).toMatchObject([
      { externalId: 't1', error: { code: 'CONNECTOR.UNAVAILABLE', retryable: true } },
    ]);
    mailbox.server.on(thread, () => ({ status: 429, headers: { 'retry-after': '44' } }));
    await expect(collect(connect(), null, { giveUp: true })).rejects.toMatchObject({ code: 'CONNECTOR.RATE_LIMITED' });
  });

  it('lists a large mailbox without reading its threads, and misses what deleted messages had attached', async () => {
    const table = attachment('table.csv', 'text/csv', 'att-1', 7);
    for (let index = 0; index < 1_100; index += 1) put(`t${String(index)}`, [mail(`m${String(index)}`, 0, table)]);
    put('t5', [mail('m5', 0, table), { ...mail('trashed', 1, table), labelIds: ['TRASH'] }]);
    const ids = await collectIds(connect());
    expect(ids).toEqual(expect.arrayContaining(['t0', 't0:m0.1', 't0:m0.30', 't1099', 't1099:m1099.1']));
    expect(ids.filter((id) => /^t5\b/.test(id))).not.toContain('t5:trashed.1');
    expect(mailbox.server.calls.map(({ path }) => path.split('/').at(-1))).toEqual([
      // Those with drafts first.
      ...['threads', 'threads', 'threads', 'threads', 'messages', 'messages', 'messages'],
    ]);
    mailbox.server.calls = [];
    expect(await collectIds(connect({ includeAttachments: false }))).toHaveLength(1_100);
    expect(mailbox.server.callsOf('/gmail/v1/users/me/messages')).toEqual([]);
  });

  it('lists with a query the attachments of all messages of the threads that match', async () => {
    put('t1', [mail('m1', 0, textPart('one')), mail('m2', 1, textPart('two'))]);
    put('t2', [mail('m3', 0, textPart('three'))]);
    mailbox.server.on('/gmail/v1/users/me/threads', () => ({ body: { threads: [{ id: 't1' }] } }));
    const ids = await collectIds(connect({ query: 'label:team' }));
    expect(ids).toEqual(expect.arrayContaining(['t1', 't1:m1.1', 't1:m2.1']));
    expect(ids.some((id) => id.startsWith('t2'))).toBe(false);
    const [messages] = mailbox.server.callsOf('/gmail/v1/users/me/messages');
    expect(messages?.query.has('q')).toBe(false);
  });

  it('fails a thread alone when it is refused, and names the error of the whole', async () => {
    put('t1', [mail('m1', 0, textPart('one'))]);
    put('t2', [mail('m2', 0, textPart('two'))]);
    const thread = '/gmail/v1/users/me/threads/t1';
    mailbox.server.on(thread, () => ({
      status: 400,
      body: { error: { code: 400, errors: [{ reason: 'failedPrecondition' }] } },
    }));
    const { byId, failures } = await collect(connect());
    expect([...byId.keys()]).toEqual(['t2']);
    expect(failures).toMatchObject([{ externalId: 't1', error: { code: 'CONNECTOR.ITEM_UNREADABLE' } }]);
    mailbox.server.on(thread, () => ({ status: 429, headers: { 'retry-after': '44' } }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.RATE_LIMITED', retryAfterSeconds: 44 });
    mailbox.server.onceEach(thread, [{ status: 503 }, { body: { id: 't1', messages: [] } }]);
    expect((await collect(connect())).deletedIds).toEqual(['t1']);
    const stale = new GmailConnector(
      { baseUrl: mailbox.server.url },
      { accessToken: 'at-0' },
      { allowPrivateAddresses: true },
    );
    await expect(stale.check(new AbortController().signal)).rejects.toMatchObject({
      code: 'CONNECTOR.CREDENTIALS_REJECTED',
    });
    expect(await connect().check(new AbortController().signal)).toEqual({ account: 'Ana@shop.example' });
  });
});
