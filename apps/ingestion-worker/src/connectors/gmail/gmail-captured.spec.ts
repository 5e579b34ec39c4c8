import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { collect, collectIds, loadText } from '../testing/collect-batches.js';
import { bodyOf, readCaptured, serveCaptured, type CapturedAnswer } from '../testing/captured/serve-captured.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { GmailConnector } from './gmail.connector.js';
import { findHeader, type GmailMessage } from './gmail-message.js';

// A whole workspace, on a machine that does much else.
jest.setTimeout(30_000);

const answers = readCaptured<CapturedAnswer[]>('gmail');
const { threads } = bodyOf<{ threads: { id: string; historyId: string }[] }>(answers, '/threads');
const captured = answers
  .filter(({ request }) => request.endsWith('format=full'))
  .map(({ body }) => body as GmailMessage & { threadId: string; internalDate: string });
const messagesOf = (threadId: string) =>
  captured
    .filter((message) => message.threadId === threadId)
    .sort((left, right) => Number(left.internalDate) - Number(right.internalDate));
const at = (message: { internalDate: string } | undefined): string =>
  new Date(Number(message?.internalDate)).toISOString();

describe('GmailConnector over captured answers', () => {
  let server: ScriptedProviderServer;
  const connect = (): GmailConnector =>
    new GmailConnector(
      { baseUrl: server.url },
      { accessToken: 'at-1' },
      { allowPrivateAddresses: true, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
    );

  beforeEach(async () => {
    server = await ScriptedProviderServer.start();
    const unknown = answers.find(({ request }) => request.endsWith('/messages/nope'));
    serveCaptured(server, answers, { otherwise: { status: unknown?.status ?? 404, body: unknown?.body } });
    // Not among what was captured: who is asked, whole threads (their messages one by one), a history.
    server
      .on('/gmail/v1/users/me/profile', () => ({ body: { emailAddress: 'Ava.Chen@acme.com', historyId: '1' } }))
      .on(/\/users\/me\/threads\/\w+$/, ({ path }) => {
        const id = path.split('/').at(-1) ?? '';
        return { body: { ...threads.find((thread) => thread.id === id), messages: messagesOf(id) } };
      })
      .on('/gmail/v1/users/me/history', () => ({
        status: 404,
        body: { error: { code: 404, message: 'Not found', errors: [{ domain: 'global', reason: 'notFound' }] } },
      }));
  });
  afterEach(() => server.stop());

  it('gives every thread: subject, author, text, link, times and policy', async () => {
    const { byId, failures } = await collect(connect());
    expect(failures).toEqual([]);
    expect([...byId.keys()].sort()).toEqual(threads.map(({ id }) => id).sort());
    for (const { id } of threads) {
      const messages = messagesOf(id);
      const [first] = messages;
      const item = byId.get(id);
      expect(item).toMatchObject({
        sourceKind: 'message',
        title: findHeader(first?.payload, 'subject').replace(/^Re: /, ''),
        authorName: findHeader(first?.payload, 'from').replace(/ <.*$/, ''),
        url: `https://mail.google.com/mail/?authuser=Ava.Chen%40acme.com#all/${id}`,
        sourceCreatedAt: at(first),
        sourceUpdatedAt: at(messages.at(-1)),
        accessPolicy: { provider: 'gmail', mode: 'acl', principals: ['user:ava.chen@acme.com'] },
        metadata: {
          messageIds: messages.map((message) => message.id),
          internetMessageIds: messages.map(({ payload }) => findHeader(payload, 'message-id')),
        },
      });
      const text = await loadText(item);
      for (const { payload } of messages) {
        const data = payload?.parts?.find(({ mimeType }) => mimeType === 'text/plain')?.body?.data;
        expect(text).toContain(Buffer.from(data ?? '', 'base64url').toString('utf8'));
      }
    }
    expect(await collectIds(connect())).toEqual(expect.arrayContaining([...byId.keys()]));
  });

  it('puts a thread’s messages one after the other', async () => {
    const { byId } = await collect(connect());
    const item = byId.get('47df5c09baf24c83');
    expect(item).toMatchObject({
      title: 'broker upgrade window',
      authorName: 'Mia Okafor',
      sourceCreatedAt: '2026-02-14T12:30:00.000Z',
      sourceUpdatedAt: '2026-02-14T13:30:00.000Z',
    });
    expect(await loadText(item)).toBe(
      [
        'From: "Mia Okafor" <mia.okafor@acme.com>\nDate: 2026-02-14 12:30 UTC\nSubject: Re: broker upgrade window',
        'The 3.7.0 upgrade is scheduled for Monday 01:00 UTC. Rollback is a version pin, tested.',
        'From: "Ava Chen" <ava.chen@acme.com>\nDate: 2026-02-14 13:30 UTC',
        'Approved. Please keep the incident channel open during the window.',
      ].join('\n\n'),
    );
  });
});
