import type { ProviderAnswer, ProviderCall, ScriptedProviderServer } from '../../testing/scripted-provider.server.js';

export interface TestFile extends Record<string, unknown> {
  id: string;
  name: string;
  mimeType: string;
  parents?: string[];
  trashed?: boolean;
}

const anyone = { id: 'p0', type: 'anyone', role: 'reader', allowFileDiscovery: true };

/** By Ana and for everybody, unless a test says otherwise. */
export const testFile = (id: string, mimeType: string, more: Record<string, unknown> = {}): TestFile => ({
  id,
  name: `File ${id}`,
  mimeType,
  createdTime: '2026-01-01T08:00:00Z',
  modifiedTime: '2026-02-01T08:00:00Z',
  webViewLink: `https://drive.example/${id}`,
  owners: [{ displayName: 'Ana', emailAddress: 'ana@shop.example' }],
  version: '7',
  permissions: [anyone],
  ...more,
});

export const refuse = (status: number, reason: string): ProviderAnswer => ({
  status,
  body: { error: { code: status, message: 'refused', errors: [{ reason, domain: 'global' }] } },
});

/** A Drive whose content a test may change between two runs. Tokens of the changes feed are indexes into `changes`. */
export class ScriptedDrive {
  files: TestFile[] = [];
  /** Contents of downloads by id, of exports by `id:format`. */
  contents: Record<string, string | Buffer> = {};
  /** By file id; absent = 403. */
  permissions: Record<string, unknown[]> = {};
  changes: Record<string, unknown>[] | null = [];
  /** Feeds forget: tokens below are refused. */
  oldestToken = 0;
  token = 'at-1';
  /** Searches that do not reach all shared drives, by their query. */
  incomplete: RegExp | null = null;

  constructor(readonly server: ScriptedProviderServer) {
    server.on(/^\/drive\/v3\//, (call) => this.answer(call));
  }

  private answer(call: ProviderCall): ProviderAnswer {
    if (call.headers.authorization !== `Bearer ${this.token}`) return refuse(401, 'authError');
    const [, , , kind, id = '', verb] = call.path.split('/');
    if (kind === 'about') return { body: { user: { emailAddress: 'ana@shop.example' } } };
    if (kind === 'changes') return this.answerChanges(call, id);
    if (kind !== 'files') return refuse(404, 'notFound');
    if (id === '') return this.list(call.query);
    if (verb === 'permissions') return this.listPermissions(id);
    if (verb === 'export') return this.give(`${id}:${call.query.get('mimeType') ?? ''}`, 400, 'badRequest');
    if (call.query.get('alt') === 'media') return this.give(id, 404, 'notFound');
    const file = this.files.find((candidate) => candidate.id === id);
    return file ? { body: file } : refuse(404, 'notFound');
  }

  private list(query: URLSearchParams): ProviderAnswer {
    const parents = [...(query.get('q') ?? '').matchAll(/'([^']+)' in parents/g)].map(([, id]) => id);
    const mimeType = /mimeType = '([^']+)'/.exec(query.get('q') ?? '')?.[1];
    const found = this.files.filter(
      (file) =>
        file.trashed !== true &&
        (mimeType === undefined || file.mimeType === mimeType) &&
        (parents.length === 0 || parents.includes(file.parents?.[0])),
    );
    const incompleteSearch = this.incomplete?.test(query.get('q') ?? '') ?? false;
    const from = Number(query.get('pageToken') ?? 0);
    const size = Number(query.get('pageSize'));
    const next = from + size < found.length ? { nextPageToken: String(from + size) } : {};
    return { body: { files: found.slice(from, from + size), incompleteSearch, ...next } };
  }

  private listPermissions(id: string): ProviderAnswer {
    const permissions = this.permissions[id];
    return permissions ? { body: { permissions } } : refuse(403, 'insufficientFilePermissions');
  }

  private give(key: string, status: number, reason: string): ProviderAnswer {
    const content = this.contents[key];
    return content === undefined ? refuse(status, reason) : { body: content };
  }

  private answerChanges(call: ProviderCall, verb: string): ProviderAnswer {
    if (this.changes === null) return { status: 404, body: { error: { code: 404, message: 'Not Found' } } };
    if (verb === 'startPageToken') return { body: { startPageToken: String(this.changes.length) } };
    const from = Number(call.query.get('pageToken'));
    if (from < this.oldestToken) return refuse(400, 'invalid');
    const size = Number(call.query.get('pageSize'));
    const isLast = from + size >= this.changes.length;
    const place = isLast ? { newStartPageToken: String(this.changes.length) } : { nextPageToken: String(from + size) };
    return { body: { changes: this.changes.slice(from, from + size), ...place } };
  }
}
