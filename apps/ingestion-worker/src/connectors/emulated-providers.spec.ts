import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SourceCredentials, SourceProvider, SourceSettings } from '@candor/contracts';
import { ServiceStartError, startBacklot, type RunningBacklot } from '@candor/services';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnector } from './create-connector.js';
import type { ConnectorItem, SourceConnector } from './source-connector.port.js';
import { collect, collectIds, loadText } from './testing/collect-batches.js';

/** A document as the emulator's corpus states it. */
interface CorpusEntry {
  source_type: string;
  title?: string;
  content?: string;
  channel?: string;
  mailbox?: string;
  subtype?: string;
  trashed?: boolean;
  visibility?: string;
  created: string;
  /** Of pages and files. */
  updated?: string;
  author_name: string;
  author_email: string;
  properties?: Record<string, unknown>;
  replies?: { content: string; author_name: string; created: string }[];
  messages?: { content: string; created: string }[];
}

const instant = (time: string | undefined): string => new Date(time ?? '').toISOString();

const dataDir = await mkdtemp(join(tmpdir(), 'candor-emulator-'));
let backlot: RunningBacklot | undefined;
try {
  backlot = await startBacklot({ dataDir });
} catch (error) {
  const isMissing = error instanceof ServiceStartError && /needs Python/.test(error.message);
  if (!isMissing || (process.env['CI'] ?? '') !== '') throw error;
  console.warn(`The connectors are not tested against the emulator: ${error.message}`);
}

(backlot === undefined ? describe.skip : describe)('connectors over the emulated providers', () => {
  let corpus: CorpusEntry[];
  const url = backlot?.url ?? '';
  const admin = backlot?.accounts.adminToken ?? '';
  const of = (source: string): CorpusEntry[] => corpus.filter((entry) => entry.source_type === source);

  const open = (provider: SourceProvider, settings: SourceSettings, credentials: SourceCredentials): SourceConnector =>
    createConnector(provider, settings, credentials, { allowPrivateAddresses: true });

  beforeAll(async () => {
    const lines = await readFile(backlot?.corpus ?? '', 'utf8');
    corpus = lines
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as CorpusEntry);
  });
  afterAll(async () => {
    await backlot?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Gmail's listing names all that could be attached to a message. */
  const isSpare = ({ provider }: SourceConnector, id: string): boolean => provider === 'gmail' && id.includes(':');

  /** A second run from the cursor gives nothing, or the same again; the ids are those of the items. */
  async function expectIdempotent(connector: SourceConnector): Promise<Map<string, ConnectorItem>> {
    const first = await collect(connector);
    const second = await collect(connector, first.cursor);
    for (const item of second.items) {
      expect(item.contentRevision).toBe(first.byId.get(item.externalId)?.contentRevision);
      expect(item.accessPolicy).toEqual(first.byId.get(item.externalId)?.accessPolicy);
    }
    expect(second.deletedIds.filter((id) => first.byId.has(id))).toEqual([]);
    const named = (await collectIds(connector)).filter((id) => first.byId.has(id) || !isSpare(connector, id));
    expect(named).toEqual([...first.byId.keys()].sort());
    expect(first.failures).toEqual([]);
    return first.byId;
  }

  it('slack: every thread with its replies, author, time and policy', async () => {
    const connector = open('slack', { baseUrl: `${url}/slack/api/` }, { botToken: admin });
    const items = [...(await expectIdempotent(connector)).values()];
    expect(items).toHaveLength(of('slack').length);
    for (const entry of of('slack')) {
      const item = items.find(({ title }) => title === entry.content);
      expect(item).toMatchObject({
        authorName: entry.author_name,
        // The emulator makes a timestamp of Slack's out of it, with a fraction.
        sourceCreatedAt: expect.stringContaining(entry.created.slice(0, 19)),
        sourceUpdatedAt: expect.stringContaining((entry.replies?.at(-1) ?? entry).created.slice(0, 19)),
        url: expect.stringMatching(/^https:\/\/acme\.slack\.com\/archives\/C[A-Z0-9]+\/p\d{16}$/),
        metadata: { channelName: entry.channel, replyCount: entry.replies?.length ?? 0 },
        accessPolicy: { mode: entry.visibility === 'public' ? 'provider_scope' : 'acl' },
      });
      const text = await loadText(item);
      for (const reply of entry.replies ?? []) {
        expect(text).toContain(reply.author_name);
        expect(text).toContain(reply.content);
      }
      if (entry.visibility !== 'public') {
        expect(item?.accessPolicy?.principals).toContain(`user:${entry.author_email}`);
        expect(item?.accessPolicy?.principals).not.toContain('user:sam.ortiz@northwind.example');
      }
    }
  });

  it('notion: every page with its words and properties, and the database', async () => {
    const connector = open('notion', { baseUrl: `${url}/notion` }, { token: admin });
    const items = [...(await expectIdempotent(connector)).values()];
    expect(items).toHaveLength(of('notion').length);
    for (const entry of of('notion')) {
      const item = items.find(({ title }) => title === entry.title);
      expect(item).toMatchObject({
        authorName: entry.author_name,
        sourceCreatedAt: instant(entry.created),
        sourceUpdatedAt: instant(entry.updated),
        url: expect.stringMatching(/^https:\/\/app\.notion\.com\/p\//),
        accessPolicy: { provider: 'notion', mode: 'provider_scope', workspaceName: 'acme' },
      });
      const text = await loadText(item);
      for (const line of (entry.content ?? '').split('\n')) expect(text).toContain(line.replace(/^[#\s-]+/, ''));
      if (entry.subtype === 'page') {
        expect(item?.metadata?.['status']).toBe(entry.properties?.['Status']);
        for (const value of Object.values(entry.properties ?? {})) expect(text).toContain(String(value));
      }
    }
  });

  it('google_drive: every file that is not in the trash, with its permissions', async () => {
    const connector = open('google_drive', { baseUrl: url }, { accessToken: admin });
    const items = [...(await expectIdempotent(connector)).values()];
    const live = of('google_drive').filter(({ trashed }) => trashed !== true);
    expect(items).toHaveLength(live.length);
    for (const entry of live) {
      const item = items.find(({ title }) => title === entry.title);
      expect(item).toMatchObject({
        authorName: entry.author_name,
        sourceCreatedAt: instant(entry.created),
        sourceUpdatedAt: instant(entry.updated),
        url: expect.stringMatching(/^https:\/\/d(?:ocs|rive)\.google\.com\//),
      });
      expect(item?.accessPolicy).toMatchObject({ mode: 'acl' });
      expect(item?.accessPolicy?.principals).toContain(`user:${entry.author_email}`);
      expect(item?.accessPolicy?.principals?.includes('anyone')).toBe(entry.visibility === 'public');
      const text = await loadText(item);
      for (const line of (entry.content ?? '').split('\n')) expect(text).toContain(line);
    }
    const checklist = items.find(({ title }) => title === 'First Week Checklist');
    expect(await loadText(checklist)).toContain('Laptop setup,IT');
  });

  it('gmail: the threads of one mailbox, by a refreshed token and by a service account', async () => {
    const user = backlot?.accounts.users.find(({ email }) => email.startsWith('ava.chen'));
    const settings = { baseUrl: url, tokenUrl: `${url}/oauth2/token` };
    const { clientId, clientSecret } = backlot?.accounts.oauthClient ?? { clientId: '', clientSecret: '' };
    const connector = open('gmail', settings, { clientId, clientSecret, refreshToken: user?.token ?? '' });
    expect(await connector.check(new AbortController().signal)).toEqual({ account: user?.email });
    const items = [...(await expectIdempotent(connector)).values()].filter(
      ({ sourceKind }) => sourceKind === 'message',
    );
    const own = of('gmail').filter(({ mailbox }) => mailbox === 'ava.chen');
    expect(items.length).toBeGreaterThanOrEqual(own.length);
    for (const entry of own) {
      const item = items.find(({ title }) => title === entry.title?.replace(/^Re: /, ''));
      expect(item).toMatchObject({
        authorName: entry.author_name,
        sourceCreatedAt: instant(entry.created),
        sourceUpdatedAt: instant((entry.messages?.at(-1) ?? entry).created),
        url: `https://mail.google.com/mail/?authuser=${encodeURIComponent(user?.email ?? '')}#all/${item?.externalId ?? ''}`,
        accessPolicy: { provider: 'gmail', mode: 'acl', principals: [`user:${user?.email ?? ''}`] },
      });
      const messageIds = item?.metadata?.['internetMessageIds'] as string[] | undefined;
      expect(messageIds).toHaveLength(1 + (entry.messages?.length ?? 0));
      for (const id of messageIds ?? []) expect(id).toMatch(/^<[^<>\s]+@[^<>\s]+>$/);
      const text = await loadText(item);
      for (const message of [entry, ...(entry.messages ?? [])]) expect(text).toContain(message.content);
    }
    const account = backlot?.accounts.serviceAccount ?? { clientEmail: '', privateKey: '' };
    const delegated = open('gmail', settings, { serviceAccount: { ...account, subject: user?.email ?? '' } });
    expect((await collect(delegated)).byId.size).toBe((await collect(connector)).byId.size);
  });

  it.each([
    ['slack', { baseUrl: `${url}/slack/api/` }, { botToken: 'wrong' }],
    ['notion', { baseUrl: `${url}/notion` }, { token: 'wrong' }],
    ['google_drive', { baseUrl: url }, { accessToken: 'wrong' }],
    ['gmail', { baseUrl: url }, { accessToken: 'wrong' }],
  ] as const)('%s: a wrong token is rejected', async (provider, settings, credentials) => {
    await expect(open(provider, settings, credentials).check(new AbortController().signal)).rejects.toMatchObject({
      code: 'CONNECTOR.CREDENTIALS_REJECTED',
    });
  });
});
