import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IngestBody } from '@candor/contracts';
import type { Answer, Recorded } from '../testing/recording-gateway.js';
import { ok, refuse, runAgainst } from '../testing/run-against.js';

const requestId = (count: number): string => `00000000-0000-4000-8000-00000000000${count}`;
const documentsOf = ({ body }: Recorded): IngestBody['documents'] => (JSON.parse(body) as IngestBody).documents;

/** Accepts everything, each call under an id of its own. */
function accept(request: Recorded, count: number): Answer {
  const items = documentsOf(request).map(({ externalId }) => ({ externalId, status: 'accepted' }));
  return ok({ requestId: requestId(count), items }, 202);
}

function lines(count: number, body = 'b'): string {
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({ provider: 'notion', sourceKind: 'document', externalId: `e${index}`, title: 't', body }),
  ).join('\n');
}

describe('candor ingest', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'candor-ingest-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function write(text: string): Promise<string> {
    const path = join(folder, 'all.ndjson');
    await writeFile(path, text);
    return path;
  }

  it('pushes one text', async () => {
    const { requests, out } = await runAgainst(accept, ['ingest', 'We keep lime.', '--title', 'Brand', '--tag', 'x']);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /v1/ingest']);
    expect(requests.flatMap(documentsOf)).toEqual([
      {
        provider: 'upload',
        sourceKind: 'document',
        externalId: 'Brand',
        title: 'Brand',
        body: 'We keep lime.',
        mimeType: 'text/plain',
        tags: ['x'],
      },
    ]);
    expect(out).toBe('1 accepted, 0 unchanged, 0 failed\n');
  });

  it('pushes what comes on standard input', async () => {
    const { requests, exitCode } = await runAgainst(accept, ['ingest', '-'], { input: lines(2) });
    expect(requests.flatMap(documentsOf).map(({ externalId }) => externalId)).toEqual(['e0', 'e1']);
    expect(exitCode).toBe(0);
  });

  it.each([
    [`${lines(1)}\n{half`, 'standard input line 2: The line is not valid JSON.\n'],
    ['', 'Standard input holds no documents.\n'],
  ])('sends nothing of standard input when it is %j', async (input, complaint) => {
    const { requests, exitCode, error } = await runAgainst(accept, ['ingest', '-'], { input });
    expect({ requests, exitCode, error }).toEqual({ requests: [], exitCode: 2, error: complaint });
  });

  it('sends calls that the server takes: of a hundred documents, and of four million characters', async () => {
    const many = await runAgainst(accept, ['ingest', await write(lines(250))]);
    expect(many.requests.map((request) => documentsOf(request).length)).toEqual([100, 100, 50]);
    const large = await runAgainst(accept, ['ingest', await write(lines(5, 'x'.repeat(1_500_000)))]);
    expect(large.requests.map((request) => documentsOf(request).length)).toEqual([2, 2, 1]);
  });

  it('follows with --wait, and fails with what failed', async () => {
    const items = [
      {
        externalId: 'Brand',
        status: 'failed',
        error: { type: 'EXTRACT.EMPTY', message: 'The document has no text.' },
      },
    ];
    const { exitCode, out } = await runAgainst(
      (request, count) => (request.method === 'POST' ? accept(request, count) : ok({ done: true, items })),
      ['ingest', 'x', '--title', 'Brand', '--wait', '--json'],
    );
    expect(exitCode).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      failed: [{ externalId: 'Brand', message: 'The document has no text.' }],
      error: null,
    });
  });

  describe('that breaks off', () => {
    const revoked = refuse(401, 'AUTH.INVALID_KEY', 'The API key is unknown, expired or revoked.');
    const acceptTwo = (request: Recorded, count: number): Answer => (count < 3 ? accept(request, count) : revoked);

    it('says what was accepted until then, under which requests, and why', async () => {
      const { exitCode, out, error } = await runAgainst(acceptTwo, ['ingest', await write(lines(250))]);
      expect(out).toBe(
        `200 accepted, 0 unchanged, 0 failed, 50 not sent\nsent in the requests ${requestId(1)}, ${requestId(2)}\n`,
      );
      expect({ exitCode, error }).toEqual({ exitCode: 1, error: 'The API key is unknown, expired or revoked.\n' });
    });

    it('says so in JSON, too', async () => {
      const { exitCode, out, error } = await runAgainst(acceptTwo, ['ingest', await write(lines(250)), '--json']);
      const reason = { type: 'AUTH.INVALID_KEY', message: 'The API key is unknown, expired or revoked.' };
      const report = JSON.parse(out) as { items: unknown[] };
      expect(report).toMatchObject({ requestIds: [requestId(1), requestId(2)], error: reason });
      expect(report.items).toHaveLength(200);
      expect(JSON.parse(error)).toMatchObject({ error: reason });
      expect(exitCode).toBe(1);
    });

    it('while it follows says what was accepted, too', async () => {
      const { exitCode, out, error } = await runAgainst(
        (request, count) => (request.method === 'POST' ? accept(request, count) : revoked),
        ['ingest', await write(lines(1)), '--wait'],
      );
      expect(out).toBe(`1 accepted, 0 unchanged, 0 failed\nsent in the requests ${requestId(1)}\n`);
      expect({ exitCode, error }).toEqual({ exitCode: 1, error: 'The API key is unknown, expired or revoked.\n' });
    });

    it('before anything was accepted has done nothing', async () => {
      const { exitCode, out } = await runAgainst(() => revoked, ['ingest', await write(lines(250))]);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    });
  });
});
