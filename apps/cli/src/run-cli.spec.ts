import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordingGateway, type Answer, type Recorded } from './testing/recording-gateway.js';
import { runLine, type LineResult } from './testing/run-line.js';

jest.setTimeout(60_000);

const REQUEST_ID = '3c1a3d0e-4a52-4b6f-9a55-0d8f4a1b2c3d';
const error = (status: number, type: string, message: string, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body: { error: { code: status, type, message, details: null, requestId: REQUEST_ID } },
});

/** Accepts everything, as the gateway does. */
function accept({ path, body }: Recorded): Answer {
  if (path === '/v1/documents')
    return { status: 202, body: { data: { id: 'd', requestId: REQUEST_ID, status: 'pending' } } };
  const { documents } = JSON.parse(body) as { documents: { externalId: string }[] };
  const items = documents.map(({ externalId }) => ({ externalId, status: 'accepted' }));
  return { status: 202, body: { requestId: REQUEST_ID, items } };
}

describe('candor import', () => {
  let folder: string;
  let gateway: RecordingGateway | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'candor-cli-'));
  });
  afterEach(async () => {
    await gateway?.stop();
    gateway = undefined;
    await rm(folder, { recursive: true });
  });

  async function run(
    args: string[],
    answer: (request: Recorded, count: number) => Answer = accept,
    environment: Record<string, string> = { CANDOR_API_KEY: 'gm_test_key' },
  ): Promise<LineResult & { requests: Recorded[] }> {
    gateway = await RecordingGateway.start(answer);
    const result = await runLine(args, { CANDOR_URL: gateway.url, ...environment });
    return { ...result, requests: gateway.requests };
  }
  const importJson = (paths: string[], answer?: (request: Recorded, count: number) => Answer) =>
    run(['import', ...paths, '--json'], answer);
  const write = async (name: string, content: string | Buffer): Promise<string> => {
    const path = join(folder, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, content);
    return path;
  };
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, index) =>
      JSON.stringify({ provider: 'notion', sourceKind: 'document', externalId: `e${index}`, title: 't', body: 'b' }),
    ).join('\n');

  it('sends documents in calls of a hundred', async () => {
    const { requests, out, exitCode } = await importJson([await write('all.ndjson', lines(250))]);
    const sizes = requests.map(({ body }) => (JSON.parse(body) as { documents: unknown[] }).documents.length);
    expect(sizes).toEqual([100, 100, 50]);
    expect(JSON.parse(out)).toMatchObject({ found: 250, accepted: 250, failed: [] });
    expect(exitCode).toBe(0);
  });

  it('waits when it is told to, and repeats a call under the same key', async () => {
    const path = await write('all.ndjson', lines(1));
    const { requests, exitCode } = await importJson([path], (request, count) =>
      count === 1 ? error(429, 'RATE_LIMIT.EXCEEDED', 'Slow down.', { 'retry-after': '0' }) : accept(request),
    );
    expect(exitCode).toBe(0);
    expect(requests).toHaveLength(2);
    expect(new Set(requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it('sends the documents of a refused call one by one, and names the bad one', async () => {
    const { out, exitCode } = await importJson([await write('all.ndjson', lines(3))], (request) => {
      const { documents } = JSON.parse(request.body) as { documents: { externalId: string }[] };
      const isBad = documents.some(({ externalId }) => externalId === 'e1');
      return isBad ? error(400, 'REQUEST.INVALID', 'documents[0].title is odd') : accept(request);
    });
    expect(JSON.parse(out)).toMatchObject({
      accepted: 2,
      failed: [{ name: 't', type: 'REQUEST.INVALID', message: 'documents[0].title is odd' }],
    });
    expect(exitCode).toBe(1);
  });

  it('stops at once when the key may not', async () => {
    const {
      requests,
      exitCode,
      error: complaint,
    } = await importJson([await write('all.ndjson', lines(300))], () =>
      error(403, 'AUTH.ACTION_NOT_ALLOWED', 'The API key does not allow the action "ingest".'),
    );
    expect(requests).toHaveLength(1);
    expect(exitCode).toBe(2);
    expect(JSON.parse(complaint)).toMatchObject({
      error: { type: 'AUTH.ACTION_NOT_ALLOWED', message: 'The API key does not allow the action "ingest".' },
    });
  });

  it('uploads the files of a folder under their paths, and leaves hidden and unreadable ones out', async () => {
    await write('docs/a.md', '# A');
    await write('docs/deep/Ünïcode.txt', 'text');
    await write('docs/.hidden', 'no');
    await write('docs/picture.png', Buffer.from('89504e470d0a1a0a0000000d', 'hex'));
    const { requests, out } = await importJson([join(folder, 'docs'), '--prefix', 'wiki/', '--tag', 'x', 'y']);
    expect(requests.map(({ body }) => /name="externalId"\r\n\r\n(.*)\r\n/.exec(body)?.[1]).sort()).toEqual([
      'wiki/a.md',
      `wiki/${Buffer.from('deep/Ünïcode.txt').toString('latin1')}`,
    ]);
    expect(requests[0]?.body).toContain('["x","y"]');
    expect(JSON.parse(out)).toMatchObject({ found: 3, accepted: 2, skipped: [{ name: 'picture.png' }], failed: [] });
  });

  it('follows no symbolic link out of the folder, and says so', async () => {
    await write('docs/a.md', '# A');
    await write('secret.txt', 'planted');
    await symlink(join(folder, 'secret.txt'), join(folder, 'docs/link.txt'));
    await symlink(folder, join(folder, 'docs/all'));
    const { requests, out } = await importJson([join(folder, 'docs')]);
    expect(requests.map(({ body }) => body).join('')).not.toContain('planted');
    const report = JSON.parse(out) as { failed: { name: string }[] };
    expect(report).toMatchObject({ accepted: 1 });
    expect(report.failed.map(({ name }) => name).sort()).toEqual([
      join(folder, 'docs/all'),
      join(folder, 'docs/link.txt'),
    ]);
  });

  it('takes patterns, and complains about what is not there', async () => {
    await write('docs/a.md', '# A');
    await write('docs/b.txt', 'b');
    const { out, exitCode } = await importJson([`${folder}/docs/*.md`, join(folder, 'nothing')]);
    expect(JSON.parse(out)).toMatchObject({ accepted: 1, failed: [{ name: join(folder, 'nothing') }] });
    expect(exitCode).toBe(1);
  });

  it('says of each line what it lacks', async () => {
    const [good = ''] = lines(1).split('\n');
    const lacking = JSON.stringify({ ...(JSON.parse(good) as object), provider: undefined });
    const wrong = JSON.stringify({ ...(JSON.parse(good) as object), title: 7 });
    const { out, exitCode } = await importJson([
      await write('all.ndjson', [good, '{half', lacking, wrong, '[]'].join('\n')),
    ]);
    expect(JSON.parse(out)).toMatchObject({
      accepted: 1,
      failed: [
        { name: 'all.ndjson line 2', message: 'The line is not valid JSON.' },
        { name: 'all.ndjson line 3', message: 'provider is required' },
        { name: 'all.ndjson line 4', message: expect.stringMatching(/^title: .*expected string/) },
        { name: 'all.ndjson line 5', message: 'The line is not a document as POST /v1/ingest takes it.' },
      ],
    });
    expect(exitCode).toBe(1);
  });

  it('uploads NDJSON that holds other data', async () => {
    const { requests } = await importJson([await write('rows.ndjson', '{"sku": 1}\n')]);
    expect(requests.map(({ path }) => path)).toEqual(['/v1/documents']);
  });

  it('follows the work with --wait', async () => {
    const item = { externalId: 'e0', sourceItemId: REQUEST_ID, version: 1 };
    const path = await write('all.ndjson', lines(1));
    const { out, exitCode } = await run(['import', path, '--wait'], (request, count) => {
      if (request.method === 'POST') return accept(request);
      const items = [
        { ...item, status: 'failed', error: { type: 'EXTRACT.EMPTY', message: 'The document has no text.' } },
      ];
      return count < 3
        ? { status: 200, body: { done: false, items: [{ ...item, status: 'extracting' }] } }
        : { status: 200, body: { done: true, items } };
    });
    expect(out).toContain('1 found, 1 accepted, 0 unchanged, 0 indexed, 0 skipped, 1 failed');
    expect(out).toContain('  e0: The document has no text. (EXTRACT.EMPTY)');
    expect(exitCode).toBe(1);
  });

  it('reports what was sent also when the key may not follow it', async () => {
    const path = await write('all.ndjson', lines(1));
    const {
      out,
      exitCode,
      error: complaint,
    } = await run(['import', path, '--wait', '--json'], (request) =>
      request.method === 'POST' ? accept(request) : error(403, 'AUTH.ACTION_NOT_ALLOWED', 'Not allowed.'),
    );
    expect(JSON.parse(out)).toMatchObject({ accepted: 1, indexed: 0 });
    const reason = { type: 'AUTH.ACTION_NOT_ALLOWED', message: 'Indexing was not followed to its end: Not allowed.' };
    expect(JSON.parse(out)).toMatchObject({ error: reason });
    expect(JSON.parse(complaint)).toMatchObject({ error: reason });
    expect(exitCode).toBe(1);
  });

  describe('that breaks off', () => {
    const spent = error(429, 'QUOTA.RATE_EXCEEDED', 'The quota is used up.', { 'retry-after': '43200' });
    const acceptTwo = (request: Recorded, count: number): Answer => (count < 3 ? accept(request) : spent);

    it('reports what was accepted until then, and why', async () => {
      const path = await write('all.ndjson', lines(250));
      const { out, exitCode, error: complaint, requests } = await run(['import', path, '--wait'], acceptTwo);
      expect(out).toBe(
        '250 found, 200 accepted, 0 unchanged, 0 skipped, 0 failed, 50 not sent\nIndexing goes on in the background; --wait follows it.\n',
      );
      expect({ exitCode, complaint }).toEqual({ exitCode: 1, complaint: 'The quota is used up.\n' });
      expect(requests).toHaveLength(3);
    });

    it('reports it in JSON, too', async () => {
      const { out, exitCode, error: complaint } = await importJson([await write('all.ndjson', lines(250))], acceptTwo);
      const reason = { type: 'QUOTA.RATE_EXCEEDED', message: 'The quota is used up.' };
      expect(JSON.parse(out)).toMatchObject({ accepted: 200, requestIds: [REQUEST_ID, REQUEST_ID], error: reason });
      expect(JSON.parse(complaint)).toMatchObject({ error: reason });
      expect(exitCode).toBe(1);
    });

    it('reports the files that were accepted', async () => {
      await write('docs/a.md', '# A');
      await write('docs/b.md', '# B');
      const { out, exitCode } = await importJson([join(folder, 'docs')], (request, count) =>
        count === 2 ? spent : accept(request),
      );
      expect(JSON.parse(out)).toMatchObject({ found: 2, accepted: 1, error: { type: 'QUOTA.RATE_EXCEEDED' } });
      expect(exitCode).toBe(1);
    });

    it('at a path that can’t be imported reports what came before it, also what was still under way', async () => {
      await write('docs/a.md', '# A');
      const archive = await write('other.zip', Buffer.from('504b0506000000000000000000000000000000000000', 'hex'));
      const { out, exitCode, error: complaint } = await run(['import', join(folder, 'docs'), archive]);
      expect(out).toContain('1 found, 1 accepted');
      expect(complaint).toContain('is neither a Slack nor a Notion export');
      expect(exitCode).toBe(1);
    });

    it('has done nothing when nothing was accepted, and still says what failed', async () => {
      const path = await write('all.ndjson', `${lines(1)}\n{half`);
      const { out, exitCode } = await importJson([path], () => spent);
      expect(JSON.parse(out)).toMatchObject({ accepted: 0, failed: [{ name: 'all.ndjson line 2' }] });
      expect(exitCode).toBe(2);
    });
  });

  it.each<[string, string[], Record<string, string>, number, string]>([
    ['no key', ['import', '.'], {}, 2, 'Set CANDOR_API_KEY'],
    ['no path', ['import'], {}, 2, "missing required argument 'path'"],
    ['an unknown option', ['import', '.', '--colour'], {}, 2, "unknown option '--colour'"],
    ['a bad number', ['import', '.', '--concurrency', '99'], {}, 2, 'A number from 1 to 16.'],
    ['a bad address', ['import', '.'], { CANDOR_URL: 'ftp://x', CANDOR_API_KEY: 'k' }, 2, 'CANDOR_URL must be'],
  ])('refuses %s', async (_name, args, environment, exitCode, message) => {
    const result = await run(args, accept, environment);
    expect(result.exitCode).toBe(exitCode);
    expect(result.error).toContain(message);
    expect(result.requests).toEqual([]);
  });

  it('shows examples in its help', async () => {
    const { exitCode, out } = await run(['import', '--help']);
    expect(exitCode).toBe(0);
    expect(out).toContain('candor import slack-export.zip');
  });
});
