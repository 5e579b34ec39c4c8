import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuditSigner, NO_DIGEST, sealBatch } from '@candor/audit/chain';
import type { AuditChain, ChainEvent } from '@candor/contracts';
import { RecordingGateway } from '../testing/recording-gateway.js';
import { runLine, type LineResult } from '../testing/run-line.js';

const TENANT = randomUUID();
const signer = new AuditSigner(new Map([['key-1', randomBytes(32)]]));
const publicKey = signer.publicKeys.get('key-1') ?? '';

const eventOf = (sequence: number): ChainEvent => ({
  id: randomUUID(),
  tenantId: TENANT,
  sequence: String(sequence),
  requestId: randomUUID(),
  action: 'search.query',
  outcome: 'succeeded',
  actorApiKeyId: null,
  actorType: 'agent',
  targetType: null,
  targetId: null,
  metadata: {},
  erasableDigest: null,
  erasable: null,
  erasableSalt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
});

describe('the chain of the trail', () => {
  let folder: string;
  const events: [ChainEvent, ChainEvent] = [eventOf(1), eventOf(2)];
  const batch = sealBatch({ batch: 0, digest: NO_DIGEST }, events, {
    signer,
    sealedAt: new Date('2026-01-01T00:00:10Z'),
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'candor-audit-'));
  });

  async function write(name: string, value: unknown[] | object): Promise<string> {
    const path = join(folder, name);
    const text = Array.isArray(value)
      ? value.map((line) => `${JSON.stringify(line)}\n`).join('')
      : JSON.stringify(value);
    await writeFile(path, text);
    return path;
  }
  const exportOf = (some: readonly ChainEvent[]): unknown[] => [
    {
      type: 'chain',
      version: 1,
      tenantId: TENANT,
      exportedAt: '2026-01-02T00:00:00.000Z',
      fromBatch: 1,
      previousDigest: NO_DIGEST,
      keys: [{ keyId: 'key-1', publicKey }],
    },
    ...some.map((event) => ({ type: 'event', event })),
    { type: 'batch', batch },
    { type: 'end', batches: 1, events: some.length, unsealed: 0 },
  ];
  const trustOf = (digest: string): AuditChain => {
    const { leaves: _leaves, expiredAt: _expired, tenantId: _tenant, ...head } = batch;
    return {
      tenantId: TENANT,
      batches: 1,
      sealedEvents: 2,
      unsealedEvents: 0,
      oldestUnsealedAt: null,
      brokenSince: null,
      expiredBatches: 0,
      head: { ...head, digest },
      keys: [{ keyId: 'key-1', publicKey, firstUsedAt: '2026-01-01T00:00:00.000Z' }],
    };
  };
  const verify = (...args: string[]): Promise<LineResult> => runLine(['audit', 'verify', ...args], {});

  it('says that it is intact, and whose keys it took, without a gateway or a key', async () => {
    const path = await write('intact.ndjson', exportOf(events));
    const alone = await verify('--file', path);
    expect(alone).toMatchObject({ exitCode: 0, error: '' });
    expect(alone.out).toMatch(
      /^Intact\.\n2 events in batches 1 to 1; 0 events are not sealed yet\.\nThe keys are the export’s own/,
    );
    const trusted = await verify('--file', path, '--trust', await write('head.json', trustOf(batch.digest)), '--json');
    expect(JSON.parse(trusted.out)).toMatchObject({ intact: true, keysFrom: 'given', findings: [] });
    // As releases wrote it that knew no broken chains.
    const { brokenSince: _, ...older } = trustOf(batch.digest);
    expect(await verify('--file', path, '--trust', await write('older.json', older))).toMatchObject({ exitCode: 0 });
  });

  it('names what was altered, and what is not the chain whose head was kept', async () => {
    const [first, second] = events;
    const path = await write('altered.ndjson', exportOf([first, { ...second, outcome: 'failed' }]));
    const altered = await verify('--file', path);
    expect(altered.exitCode).toBe(1);
    expect(altered.out).toContain(`event_altered batch 1 ${second.id}`);
    const intact = await write('intact.ndjson', exportOf(events));
    const other = await verify('--file', intact, '--trust', await write('other.json', trustOf('a'.repeat(64))));
    expect(other.exitCode).toBe(1);
    expect(other.out).toContain('head_differs batch 1');
  });

  it('refuses a file that was cut off, and a trust file that is none', async () => {
    const cut = await verify('--file', await write('cut.ndjson', exportOf(events).slice(0, -1)));
    expect(cut).toMatchObject({ exitCode: 2 });
    expect(cut.error).toContain('the export was cut off');
    const intact = await write('intact.ndjson', exportOf(events));
    const wrong = await verify('--file', intact, '--trust', await write('wrong.json', { keys: [] }));
    expect(wrong.error).toContain('is not what `candor audit chain --json` prints');
  });

  it.each([
    ['2026-02-01T00:00:00.000Z', true],
    [null, false],
  ])('says of a chain whether it is continued: broken since %s', async (brokenSince, isSaid) => {
    const gateway = await RecordingGateway.start(() => ({
      status: 200,
      body: { data: { ...trustOf(batch.digest), brokenSince } },
    }));
    const environment = { CANDOR_URL: gateway.url, CANDOR_API_KEY: 'gm_abcdefgh_abcdefghijklmnop' };
    const { out: text } = await runLine(['audit', 'chain'], environment);
    await gateway.stop();
    expect(text).toContain('2 events sealed in 1 batches');
    expect(text.includes('Not continued since 2026-02-01T00:00:00.000Z')).toBe(isSaid);
    expect(text.includes('Not continued')).toBe(isSaid);
  });

  it('waits for the beginning of an export no longer than it is told to', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const environment = {
      CANDOR_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      CANDOR_API_KEY: 'gm_abcdefgh_abcdefghijklmnop',
    };
    const { exitCode, error } = await runLine(['audit', 'export', '--deadline', '1'], environment);
    silent.closeAllConnections();
    silent.close();
    expect({ exitCode, error }).toEqual({ exitCode: 2, error: 'The deadline passed before an answer came.\n' });
  });
});
