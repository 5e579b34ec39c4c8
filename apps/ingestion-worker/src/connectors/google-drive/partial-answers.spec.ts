import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GoogleDriveSettings } from '@candor/contracts';
import { collect, collectIds, loadText } from '../testing/collect-batches.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { FOLDER, SHORTCUT } from './drive-file.js';
import { GoogleDriveConnector } from './google-drive.connector.js';
import { refuse, ScriptedDrive, testFile as file, type TestFile } from './testing/scripted-drive.js';

describe('GoogleDriveConnector, of what Drive tells in part', () => {
  let drive: ScriptedDrive;

  const connect = (settings: GoogleDriveSettings = {}): GoogleDriveConnector =>
    new GoogleDriveConnector(
      { baseUrl: drive.server.url, ...settings },
      { accessToken: 'at-1' },
      { allowPrivateAddresses: true, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
    );

  beforeEach(async () => {
    drive = new ScriptedDrive(await ScriptedProviderServer.start());
  });
  afterEach(() => drive.server.stop());

  it('keeps a file outside of the folders while a shortcut in them leads to it', async () => {
    const folderIds = ['top'];
    const linked = file('linked', 'text/plain', { parents: ['other'], md5Checksum: 'm1' });
    const edited = { ...linked, md5Checksum: 'm2' };
    drive.files = [
      file('top', FOLDER),
      linked,
      file('stray', 'text/plain', { parents: ['other'] }),
      file('link', SHORTCUT, {
        parents: ['top'],
        shortcutDetails: { targetId: 'linked', targetMimeType: 'text/plain' },
      }),
      file('far-link', SHORTCUT, {
        parents: ['other'],
        shortcutDetails: { targetId: 'stray', targetMimeType: 'text/plain' },
      }),
    ];
    const first = await collect(connect({ folderIds }));
    expect([...first.byId.keys()]).toEqual(['linked']);
    expect(await collectIds(connect({ folderIds }))).toEqual(['linked']);
    const change = (changed: TestFile) => ({ changeType: 'file', fileId: changed.id, file: changed });
    drive.changes = [change(edited), change(file('stray', 'text/plain', { parents: ['other'] }))];
    const second = await collect(connect({ folderIds }), first.cursor);
    expect(second.deletedIds).toEqual(['stray']);
    expect(second.byId.get('linked')?.contentRevision).toBe('m2');
    drive.changes.push(change({ ...edited, trashed: true }));
    expect((await collect(connect({ folderIds }), second.cursor)).deletedIds).toEqual(['linked']);
  });

  it.each([
    ['the folders of its scope', /mimeType = .*folder/, { folderIds: ['top'] }],
    ['its files', /^trashed = false$/, {}],
  ])('stops where Google could not search %s, and deletes nothing', async (_, incomplete, settings) => {
    drive.files = [
      file('top', FOLDER),
      file('sub', FOLDER, { parents: ['top'] }),
      file('in', 'text/plain', { parents: ['sub'] }),
    ];
    drive.incomplete = incomplete;
    const outage = { code: 'CONNECTOR.UNAVAILABLE', retryable: true };
    await expect(collect(connect(settings))).rejects.toMatchObject(outage);
    await expect(collect(connect(settings), null, { giveUp: true })).rejects.toMatchObject(outage);
    await expect(collectIds(connect(settings))).rejects.toMatchObject(outage);
    drive.incomplete = null;
    const first = await collect(connect(settings));
    expect([...first.byId.keys()]).toEqual(['in']);
    drive.incomplete = incomplete;
    drive.changes = [{ changeType: 'file', fileId: 'in', file: drive.files[2] }];
    // The feed alone needs no search.
    const second = collect(connect(settings), first.cursor);
    if ('folderIds' in settings) await expect(second).rejects.toMatchObject(outage);
    else expect((await second).byId.size).toBe(1);
  });

  it('withholds one file whose permissions come garbled, and gives up on one where they keep failing', async () => {
    drive.files = [
      file('garbled', 'text/plain', { permissions: undefined }),
      file('failing', 'text/plain', { permissions: undefined }),
      file('fine', 'text/plain'),
    ];
    drive.contents = { garbled: 'text' };
    drive.server.on('/drive/v3/files/garbled/permissions', () => ({ body: { permissions: 'none' } }));
    drive.server.on('/drive/v3/files/failing/permissions', () => ({ status: 503 }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE', retryable: true });
    const { byId } = await collect(connect(), null, { giveUp: true });
    expect([...byId.keys()]).toEqual(['garbled', 'failing', 'fine']);
    expect(byId.get('garbled')?.accessPolicy).toBeNull();
    expect(await loadText(byId.get('garbled'))).toBe('text');
    // Its load fails, so that it is counted, and read again by a later run.
    expect(byId.get('failing')).toMatchObject({ accessPolicy: null, contentRevision: null });
    await expect(loadText(byId.get('failing'))).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE' });
    expect(byId.get('fine')?.accessPolicy?.principals).toEqual(['anyone']);
    drive.server.on('/drive/v3/files/failing/permissions', () => refuse(429, 'rateLimitExceeded'));
    await expect(collect(connect(), null, { giveUp: true })).rejects.toMatchObject({ code: 'CONNECTOR.RATE_LIMITED' });
  });

  it('takes permissions that fail for three files in a row for an outage, and withholds none for it', async () => {
    drive.files = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => file(id, 'text/plain', { permissions: undefined }));
    drive.server.on(/^\/drive\/v3\/files\/\w+\/permissions$/, () => ({ status: 503 }));
    const outage = { code: 'CONNECTOR.UNAVAILABLE', retryable: true };
    await expect(collect(connect(), null, { giveUp: true })).rejects.toMatchObject(outage);
    // Files that need no request say nothing of it.
    drive.files = drive.files.map((found) => (found.id === 'b' ? file('b', 'text/plain') : found));
    await expect(collect(connect(), null, { giveUp: true })).rejects.toMatchObject(outage);
    drive.server.on(/^\/drive\/v3\/files\/[cf]\/permissions$/, () => ({ body: { permissions: [] } }));
    drive.files = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => file(id, 'text/plain', { permissions: undefined }));
    const { byId } = await collect(connect(), null, { giveUp: true });
    expect([...byId.keys()]).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    for (const id of ['a', 'b', 'd', 'e']) {
      await expect(loadText(byId.get(id))).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE' });
    }
  });

  it('takes shortcuts whose targets fail in a row for an outage', async () => {
    const shortcut = (id: string, targetId: string): TestFile =>
      file(id, SHORTCUT, { shortcutDetails: { targetId, targetMimeType: 'text/plain' } });
    drive.files = [shortcut('s1', 'bad'), shortcut('s2', 'fine'), shortcut('s3', 'bad'), file('fine', 'text/plain')];
    drive.server.on('/drive/v3/files/bad', () => ({ status: 503 }));
    const { byId, failures } = await collect(connect(), null, { giveUp: true });
    expect([...byId.keys()]).toEqual(['fine']);
    expect(failures.map(({ externalId }) => externalId)).toEqual(['s1', 's3']);
    drive.files = [shortcut('s1', 'bad'), file('fine', 'text/plain'), shortcut('s2', 'bad'), shortcut('s3', 'bad')];
    await expect(collect(connect(), null, { giveUp: true })).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE' });
  });

  it('fails a shortcut alone whose target comes garbled, and keeps the target', async () => {
    drive.files = [
      file('link', SHORTCUT, { shortcutDetails: { targetId: 'odd', targetMimeType: 'text/plain' } }),
      file('fine', 'text/plain'),
    ];
    drive.server.on('/drive/v3/files/odd', () => ({ body: { name: 'no id' } }));
    const { byId, failures } = await collect(connect());
    expect([...byId.keys()]).toEqual(['fine']);
    expect(failures).toMatchObject([{ externalId: 'link', error: { code: 'CONNECTOR.ITEM_UNREADABLE' } }]);
    expect(await collectIds(connect())).toEqual(['fine', 'odd']);
  });
});
