import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GoogleCredentials, GoogleDriveSettings } from '@candor/contracts';
import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { collect, collectIds, loadText } from '../testing/collect-batches.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { GoogleDriveConnector } from './google-drive.connector.js';
import { refuse, ScriptedDrive, testFile as file, type TestFile } from './testing/scripted-drive.js';

const DOCUMENT = 'application/vnd.google-apps.document';
const SHEET = 'application/vnd.google-apps.spreadsheet';
const FOLDER = 'application/vnd.google-apps.folder';
const SHORTCUT = 'application/vnd.google-apps.shortcut';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

describe('GoogleDriveConnector', () => {
  let drive: ScriptedDrive;
  const signal = new AbortController().signal;

  const connect = (
    settings: GoogleDriveSettings = {},
    pageSize = 50,
    credentials: GoogleCredentials = { accessToken: 'at-1' },
  ): GoogleDriveConnector =>
    new GoogleDriveConnector(
      { baseUrl: drive.server.url, tokenUrl: `${drive.server.url}/token`, ...settings },
      credentials,
      { allowPrivateAddresses: true, pageSize, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
      () => Date.parse('2026-03-01T00:00:00Z'),
    );

  beforeEach(async () => {
    drive = new ScriptedDrive(await ScriptedProviderServer.start());
  });
  afterEach(() => drive.server.stop());

  it('exports native files, downloads others, and gives author, link, times and revision', async () => {
    drive.files = [
      file('doc', DOCUMENT),
      file('sheet', SHEET),
      file('plain', 'text/plain', { md5Checksum: 'm1', headRevisionId: 'h1', size: '5', name: 'notes.txt' }),
      file('dir', FOLDER),
    ];
    drive.contents = {
      'doc:text/markdown': '# Plan',
      [`sheet:${XLSX}`]: Buffer.from('PK\u0003\u0004rest'),
      plain: 'hello',
    };
    const { byId, failures } = await collect(connect());
    expect(failures).toEqual([]);
    expect([...byId.keys()]).toEqual(['doc', 'sheet', 'plain']);
    expect(byId.get('doc')).toMatchObject({
      sourceKind: 'file',
      title: 'File doc',
      url: 'https://drive.example/doc',
      authorName: 'Ana',
      sourceCreatedAt: '2026-01-01T08:00:00.000Z',
      sourceUpdatedAt: '2026-02-01T08:00:00.000Z',
      contentRevision: '2026-02-01T08:00:00Z',
      accessPolicy: { provider: 'google_drive', mode: 'acl', principals: ['anyone'] },
    });
    expect(byId.get('plain')?.contentRevision).toBe('m1');
    expect(await byId.get('doc')?.load(signal)).toEqual({ kind: 'text', body: '# Plan', mimeType: 'text/markdown' });
    expect(await byId.get('sheet')?.load(signal)).toMatchObject({
      kind: 'file',
      name: 'File sheet.xlsx',
      mediaType: XLSX,
    });
    expect(await byId.get('plain')?.load(signal)).toMatchObject({
      kind: 'file',
      name: 'notes.txt',
      mediaType: 'text/plain',
    });
    expect(await loadText(byId.get('plain'))).toBe('hello');
  });

  it('takes the next format when a server does not know the first', async () => {
    drive.files = [file('doc', DOCUMENT), file('sheet', SHEET), file('none', DOCUMENT)];
    drive.contents = { 'doc:text/html': '<p>Plan</p>', 'sheet:text/csv': 'a,b' };
    const { byId } = await collect(connect());
    expect(await byId.get('doc')?.load(signal)).toEqual({ kind: 'text', body: '<p>Plan</p>', mimeType: 'text/html' });
    expect(await byId.get('sheet')?.load(signal)).toMatchObject({ name: 'File sheet.csv', mediaType: 'text/csv' });
    await expect(loadText(byId.get('none'))).rejects.toMatchObject({ code: 'CONNECTOR.ITEM_UNREADABLE' });
  });

  it('follows the feed: edits, trash, lost files; a change of access alone keeps the revision', async () => {
    drive.files = [
      file('a', 'text/plain', { md5Checksum: 'm1' }),
      file('b', DOCUMENT),
      file('c', 'text/plain'),
      file('d', 'text/plain'),
    ];
    const first = await collect(connect());
    expect(first.items).toHaveLength(4);
    const idle = await collect(connect(), first.cursor);
    expect(idle.items).toEqual([]);
    expect(idle.deletedIds).toEqual([]);

    const closed = [{ id: 'p1', type: 'user', role: 'reader', emailAddress: 'Ben@shop.example' }];
    drive.changes = [
      {
        changeType: 'file',
        fileId: 'a',
        file: file('a', 'text/plain', { md5Checksum: 'm1', version: '8', permissions: closed }),
      },
      { changeType: 'file', fileId: 'b', file: file('b', DOCUMENT, { version: '8', permissions: closed }) },
      { changeType: 'file', fileId: 'c', file: file('c', 'text/plain', { trashed: true }) },
      { changeType: 'file', fileId: 'd', removed: true },
      { changeType: 'file', fileId: 'odd', file: { name: 'no id' } },
    ];
    const second = await collect(connect({}, 2), idle.cursor);
    expect(second.byId.get('a')?.accessPolicy?.principals).toEqual(['user:ben@shop.example']);
    for (const id of ['a', 'b']) expect(second.byId.get(id)?.contentRevision).toBe(first.byId.get(id)?.contentRevision);
    expect(second.deletedIds.sort()).toEqual(['c', 'd']);
    expect(second.failures.map(({ externalId }) => externalId)).toEqual(['odd']);
    expect(drive.server.calls.some(({ query }) => query.get('alt') === 'media')).toBe(false);
  });

  it('lists anew when the feed no longer reaches back, and when a shared drive changed', async () => {
    drive.files = [file('a', 'text/plain')];
    const first = await collect(connect());
    drive.changes = Array.from({ length: 4 }, () => ({
      changeType: 'file',
      fileId: 'a',
      file: file('a', 'text/plain'),
    }));
    drive.oldestToken = 3;
    drive.files.push(file('new', 'text/plain'));
    const second = await collect(connect(), first.cursor);
    expect([...second.byId.keys()]).toEqual(['a', 'new']);
    drive.changes.push({ changeType: 'drive', driveId: 'sd1' });
    drive.files.push(file('more', 'text/plain'));
    expect([...(await collect(connect(), second.cursor)).byId.keys()]).toEqual(['a', 'new', 'more']);
    drive.server.on('/drive/v3/changes', () => refuse(400, 'invalid'));
    await expect(collect(connect(), second.cursor)).rejects.toMatchObject({
      code: 'CONNECTOR.UNAVAILABLE',
      retryable: false,
    });
  });

  it('goes on after any batch, and from the top when its place is lost', async () => {
    drive.files = ['a', 'b', 'c', 'd', 'e'].map((id) => file(id, 'text/plain'));
    const first = await collect(connect({}, 2), null, { batches: 1 });
    expect(first.items.map(({ externalId }) => externalId)).toEqual(['a', 'b']);
    expect((await collect(connect({}, 2), first.cursor)).items.map(({ externalId }) => externalId)).toEqual([
      'c',
      'd',
      'e',
    ]);
    const lost = { ...first.cursor, pageToken: 'lost' };
    drive.server.on('/drive/v3/files', (call) =>
      call.query.get('pageToken') === 'lost' ? refuse(400, 'invalid') : { body: { files: drive.files } },
    );
    expect((await collect(connect({}, 2), lost)).items).toHaveLength(5);
  });

  it('lists a server without a feed every time', async () => {
    drive.changes = null;
    drive.files = [file('a', 'text/plain', { md5Checksum: 'm1' })];
    const first = await collect(connect());
    const second = await collect(connect(), first.cursor);
    expect(second.byId.get('a')?.contentRevision).toBe('m1');
    drive.server.on('/drive/v3/files', () => ({ status: 404, body: { error: { code: 404, message: 'Not Found' } } }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE', retryable: false });
  });

  it('resolves shortcuts, and counts those that lead nowhere', async () => {
    const shortcut = (id: string, targetId: string, targetMimeType = 'text/plain'): TestFile =>
      file(id, SHORTCUT, { shortcutDetails: { targetId, targetMimeType } });
    drive.files = [
      file('real', 'text/plain'),
      file('bin', 'text/plain', { trashed: true }),
      shortcut('s1', 'real'),
      shortcut('s2', 'hidden'),
      shortcut('s3', 'bin'),
      shortcut('s4', 'dir', FOLDER),
    ];
    const { byId, failures } = await collect(connect());
    expect([...byId.keys()]).toEqual(['real']);
    expect(failures.map(({ externalId, error }) => [externalId, error.code])).toEqual([
      ['s2', 'CONNECTOR.ITEM_UNREADABLE'],
      ['s3', 'CONNECTOR.ITEM_UNREADABLE'],
    ]);
    expect(await collectIds(connect())).toEqual(['real']);
  });

  it('gives policy and title of what is too large, has no text or may not be downloaded, and fails its content alone', async () => {
    drive.files = [
      file('big', 'application/pdf', { size: String(101 * 1024 * 1024) }),
      file('image', 'image/png'),
      file('form', 'application/vnd.google-apps.form'),
      file('locked', 'text/plain', { capabilities: { canDownload: false } }),
      file('fine', 'text/plain'),
    ];
    const { byId, failures } = await collect(connect());
    expect(failures).toEqual([]);
    expect([...byId.keys()]).toEqual(['big', 'image', 'form', 'locked', 'fine']);
    for (const [id, code] of [
      ['big', 'CONNECTOR.ITEM_TOO_LARGE'],
      ['image', 'CONNECTOR.ITEM_UNSUPPORTED'],
      ['form', 'CONNECTOR.ITEM_UNSUPPORTED'],
      ['locked', 'CONNECTOR.ITEM_UNREADABLE'],
    ] as const) {
      const item = byId.get(id);
      expect(item).toMatchObject({ title: `File ${id}`, accessPolicy: { mode: 'acl' }, contentRevision: null });
      await expect(loadText(item)).rejects.toMatchObject({ code, retryable: false });
    }
    expect(byId.get('fine')?.contentRevision).not.toBeNull();
    expect(drive.server.calls.some(({ query }) => query.get('alt') === 'media')).toBe(false);
  });

  it('gives the narrowed policy of a file that may no longer be downloaded', async () => {
    drive.files = [file('a', 'text/plain')];
    const first = await collect(connect());
    expect(first.byId.get('a')?.accessPolicy?.principals).toEqual(['anyone']);
    const closed = [{ id: 'p1', type: 'user', role: 'owner', emailAddress: 'ana@shop.example' }];
    const locked = file('a', 'text/plain', { capabilities: { canDownload: false }, permissions: closed });
    drive.changes = [{ changeType: 'file', fileId: 'a', file: locked }];
    const second = await collect(connect(), first.cursor);
    expect(second.byId.get('a')?.accessPolicy?.principals).toEqual(['user:ana@shop.example']);
  });

  it('lets nobody in who would have to know the link', async () => {
    const owner = { id: 'p1', type: 'user', role: 'owner', emailAddress: 'ana@shop.example' };
    const linked = (type: string, more: Record<string, unknown>) => ({ id: 'p2', type, role: 'reader', ...more });
    drive.files = [
      file('link', 'text/plain', { permissions: [owner, linked('anyone', { allowFileDiscovery: false })] }),
      file('silent', 'text/plain', { permissions: [owner, linked('anyone', {})] }),
      file('only', 'text/plain', { permissions: [linked('anyone', {})] }),
      file('published', 'text/plain', { permissions: [owner, linked('anyone', { view: 'published' })] }),
      file('firm', 'text/plain', {
        permissions: [owner, linked('domain', { domain: 'Shop.example', allowFileDiscovery: false })],
      }),
      file('both', 'text/plain', {
        permissions: [
          linked('anyone', { allowFileDiscovery: true }),
          linked('domain', { domain: 'Shop.example', allowFileDiscovery: true }),
        ],
      }),
    ];
    const { byId } = await collect(connect());
    const policy = (principals: string[], more = {}) => ({
      provider: 'google_drive',
      mode: 'acl',
      principals,
      ...more,
    });
    const ana = ['user:ana@shop.example'];
    expect(byId.get('link')?.accessPolicy).toEqual(policy(ana, { anyoneWithLink: true }));
    expect(byId.get('silent')?.accessPolicy).toEqual(policy(ana, { anyoneWithLink: true }));
    expect(byId.get('only')?.accessPolicy).toEqual(policy([], { anyoneWithLink: true }));
    expect(byId.get('published')?.accessPolicy).toEqual(policy(ana));
    expect(byId.get('firm')?.accessPolicy).toEqual(policy(ana, { domainsWithLink: ['shop.example'] }));
    expect(byId.get('both')?.accessPolicy).toEqual(policy(['anyone', 'domain:shop.example']));
  });

  it('maps permissions, withholds what it cannot read, and survives a null group', async () => {
    const listed = { permissions: undefined };
    drive.files = [
      file('mixed', 'text/plain', listed),
      file('closed', 'text/plain', listed),
      file('nobody', 'text/plain', listed),
    ];
    drive.permissions = {
      mixed: [
        null,
        { id: '1', type: 'group', role: 'reader', emailAddress: null },
        { id: '2', type: 'group', role: 'reader', emailAddress: 'All@shop.example' },
        { id: '3', type: 'domain', role: 'reader', domain: 'shop.example' },
        { id: '4', type: 'user', role: 'owner', emailAddress: 'ana@shop.example' },
        { id: '5', type: 'user', role: 'reader', emailAddress: 'left@shop.example', deleted: true },
        {
          id: '6',
          type: 'user',
          role: 'reader',
          emailAddress: 'old@shop.example',
          expirationTime: '2026-02-01T00:00:00Z',
        },
        { id: '7', type: 'anyone', role: 'reader', view: 'published' },
      ],
      nobody: [null],
    };
    const { byId } = await collect(connect());
    expect(byId.get('mixed')?.accessPolicy).toEqual({
      provider: 'google_drive',
      mode: 'acl',
      principals: ['domain:shop.example', 'group:all@shop.example', 'user:ana@shop.example'],
      unreadablePermissions: 2,
    });
    expect(byId.get('closed')?.accessPolicy).toBeNull();
    expect(byId.get('nobody')?.accessPolicy).toBeNull();
  });

  it('keeps to chosen folders and what lies below them', async () => {
    drive.files = [
      file('top', FOLDER),
      file('sub', FOLDER, { parents: ['top'] }),
      file('in', 'text/plain', { parents: ['sub'] }),
      file('out', 'text/plain', { parents: ['other'] }),
    ];
    const first = await collect(connect({ folderIds: ['top'] }));
    expect([...first.byId.keys()]).toEqual(['in']);
    expect(await collectIds(connect({ folderIds: ['top'] }))).toEqual(['in']);
    drive.changes = [{ changeType: 'file', fileId: 'in', file: file('in', 'text/plain', { parents: ['other'] }) }];
    expect((await collect(connect({ folderIds: ['top'] }), first.cursor)).deletedIds).toEqual(['in']);
  });

  it('renews its token, and says when that is refused', async () => {
    drive.files = [file('a', 'text/plain')];
    drive.contents = { a: 'text' };
    const refreshing = { clientId: 'c', clientSecret: 's', refreshToken: 'r-1' };
    drive.server.on('/token', (call) =>
      call.form.get('refresh_token') === 'r-1'
        ? { body: { access_token: drive.token, expires_in: 3600, token_type: 'Bearer' } }
        : { status: 400, body: { error: 'invalid_grant', error_description: 'revoked' } },
    );
    const connector = connect({}, 50, refreshing);
    const { byId } = await collect(connector);
    await loadText(byId.get('a'));
    expect(drive.server.callsOf('/token')).toHaveLength(1);
    drive.token = 'at-2';
    expect(await loadText(byId.get('a'))).toBe('text');
    await expect(connect({}, 50, { ...refreshing, refreshToken: 'r-0' }).check(signal)).rejects.toMatchObject({
      code: 'CONNECTOR.CREDENTIALS_REJECTED',
    });
    await expect(connect({}, 50, { accessToken: 'stale' }).check(signal)).rejects.toMatchObject({
      code: 'CONNECTOR.CREDENTIALS_REJECTED',
    });
    expect(await connector.check(signal)).toEqual({ account: 'ana@shop.example' });
  });

  it('signs in as a service account', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    drive.server.on('/token', (call) =>
      call.form.get('assertion')?.split('.').length === 3
        ? { body: { access_token: 'at-1', expires_in: 3600, token_type: 'Bearer' } }
        : { status: 400, body: { error: 'invalid_grant' } },
    );
    const account = (privateKey: string) => ({ serviceAccount: { clientEmail: 'bot@shop.example', privateKey } });
    expect(await connect({}, 50, account(key)).check(signal)).toEqual({ account: 'ana@shop.example' });
    await expect(connect({}, 50, account('nonsense')).check(signal)).rejects.toMatchObject({
      code: 'CONNECTOR.CREDENTIALS_REJECTED',
    });
  });

  it('names the error: rate, outage, garbage, abort', async () => {
    const files = '/drive/v3/files';
    drive.server.on(files, () => refuse(403, 'userRateLimitExceeded'));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.RATE_LIMITED' });
    drive.server.on(files, () => ({ status: 429, headers: { 'retry-after': '50' } }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.RATE_LIMITED', retryAfterSeconds: 50 });
    drive.server.on(files, () => ({ headers: { 'content-type': 'application/json' }, body: '{"files": [' }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE', retryable: true });
    drive.server.on(files, () => refuse(403, 'forbiddenWithContent'));
    const refused: unknown = await collect(connect()).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'CONNECTOR.UNAVAILABLE', retryable: false });
    expect(inspect(refused, { depth: 9 })).not.toMatch(/at-1|"refused"/);
    drive.server.on(files, () => ({ body: { files: 'none' } }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE' });
    drive.server.onceEach(files, [{ status: 500 }, { body: { files: [] } }]);
    expect((await collect(connect())).items).toEqual([]);
    const abort = new AbortController();
    drive.server.on(files, () => {
      abort.abort();
      return 'never';
    });
    await expect(collect(connect(), null, { signal: abort.signal })).rejects.toMatchObject({
      code: 'REQUEST.CANCELLED',
    });
  });
});
