import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { collect, collectIds, loadText } from '../testing/collect-batches.js';
import { bodyOf, readCaptured, serveCaptured, type CapturedAnswer } from '../testing/captured/serve-captured.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { FOLDER } from './drive-file.js';
import { GoogleDriveConnector } from './google-drive.connector.js';

interface CapturedFile {
  id: string;
  name: string;
  mimeType: string;
  createdTime: string;
  modifiedTime: string;
  webViewLink: string;
  trashed: boolean;
  parents: string[];
  owners: { displayName: string }[];
}
interface Permission {
  type: string;
  emailAddress?: string;
}

// A whole workspace, on a machine that does much else.
jest.setTimeout(30_000);

const answers = readCaptured<CapturedAnswer[]>('google-drive');
const { files } = bodyOf<{ files: CapturedFile[] }>(answers, '/files?fields');
const live = files.filter(({ mimeType, trashed }) => mimeType !== FOLDER && !trashed);
const SHEET = '1jrChegOfPtPdZXXCatoiG9VzO2fJIV_M';
const instant = (time: string): string => new Date(time).toISOString();

describe('GoogleDriveConnector over captured answers', () => {
  let server: ScriptedProviderServer;
  const connect = (): GoogleDriveConnector =>
    new GoogleDriveConnector(
      { baseUrl: server.url },
      { accessToken: 'at-1' },
      { allowPrivateAddresses: true, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
    );

  beforeEach(async () => {
    server = await ScriptedProviderServer.start();
    // Neither a changes feed nor downloads were captured.
    serveCaptured(server, answers, {
      by: ['mimeType'],
      otherwise: { status: 404, body: bodyOf(answers, '/files/nope') },
    });
    // Exports were, as plain text alone: other formats are refused as that of a spreadsheet was.
    const refusal = { status: 400, body: bodyOf(answers, `${SHEET}/export`) };
    const isPlain = (query: URLSearchParams): boolean => query.get('mimeType') === 'text/plain';
    server.on(/\/export$/, ({ path, query }) =>
      isPlain(query) ? { body: bodyOf(answers, `${path}?`)['_raw'] ?? refusal.body } : refusal,
    );
  });
  afterEach(() => server.stop());

  it('gives every file: title, author, link, times, and who may see it', async () => {
    const { byId, failures, deletedIds } = await collect(connect());
    expect(failures).toEqual([]);
    expect([...byId.keys()].sort()).toEqual(live.map(({ id }) => id).sort());
    expect(deletedIds).toEqual(files.filter(({ trashed }) => trashed).map(({ id }) => id));
    for (const file of live) {
      const { permissions } = bodyOf<{ permissions: Permission[] }>(answers, `${file.id}/permissions`);
      const principals = permissions.map(({ type, emailAddress }) =>
        emailAddress === undefined ? 'anyone' : `${type}:${emailAddress}`,
      );
      expect(byId.get(file.id)).toMatchObject({
        sourceKind: 'file',
        title: file.name,
        url: file.webViewLink,
        authorName: file.owners[0]?.displayName,
        sourceCreatedAt: instant(file.createdTime),
        sourceUpdatedAt: instant(file.modifiedTime),
        accessPolicy: { provider: 'google_drive', mode: 'acl', principals: [...new Set(principals)].sort() },
        metadata: { mimeType: file.mimeType, parents: file.parents },
      });
    }
    expect(byId.get('14fExeSvpcl7YtUljtM5WT7iNvaOonvEV')).toMatchObject({
      title: 'Northwind Proposal',
      authorName: 'Dana Whitfield',
      sourceUpdatedAt: '2026-02-20T10:10:00.000Z',
      accessPolicy: { principals: ['group:sales@acme.com', 'user:dana.whitfield@acme.com'] },
    });
  });

  it('exports documents and presentations; a format that is refused is the file’s failure', async () => {
    const { byId } = await collect(connect());
    const exported = live.filter(({ mimeType }) => /\.(document|presentation)$/.test(mimeType));
    expect(exported.length).toBeGreaterThan(5);
    for (const { id } of exported) expect(await loadText(byId.get(id))).toBe(bodyOf(answers, `${id}/export`)['_raw']);
    expect(await loadText(byId.get('14fExeSvpcl7YtUljtM5WT7iNvaOonvEV'))).toBe(
      'Northwind Proposal\n\nScope, pricing, and the 18-month term. Data residency is EU-only.',
    );
    await expect(loadText(byId.get(SHEET))).rejects.toMatchObject({
      code: 'CONNECTOR.ITEM_UNREADABLE',
      details: { reason: 'noFormat' },
    });
  });

  it('lists everything each time where there is no changes feed', async () => {
    const first = await collect(connect());
    const second = await collect(connect(), first.cursor);
    expect([...second.byId.keys()]).toEqual([...first.byId.keys()]);
    expect(await collectIds(connect())).toEqual(expect.arrayContaining([...first.byId.keys()]));
  });
});
