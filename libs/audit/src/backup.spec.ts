import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { accessSync, chownSync, constants, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { beginSealingRound, corpusFingerprintOf, Database } from '@candor/persistence';
import { buildDocument, TestTenant, waitFor } from '@candor/testkit';
import { writeAuditEvents } from './audit-trail.js';
import { AuditSigner } from './chain/audit-keys.js';
import { readChain, verifyChain } from './read-chain.js';
import { announceSigner, sealNextBatch } from './seal-audit.js';

const run = promisify(execFile);
const PROGRAMS = ['initdb', 'postgres', 'pg_dump', 'pg_restore'];

/** A folder with a server and the programs of the same version: the npm package brings no `pg_dump`, and an older one refuses its server. */
function findPrograms(): string | null {
  const installed = '/usr/lib/postgresql';
  const versions = existsSync(installed)
    ? readdirSync(installed).map((version) => join(installed, version, 'bin'))
    : [];
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...versions];
  const isThere = (path: string): boolean => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return folders.find((folder) => PROGRAMS.every((program) => isThere(join(folder, program)))) ?? null;
}

const programs = findPrograms();
if (programs === null)
  console.warn('SKIPPED: no folder with initdb, postgres, pg_dump and pg_restore: backups are not tested.');
const withPrograms = programs === null ? describe.skip : describe;
jest.setTimeout(120_000);

withPrograms('a dump and its restore', () => {
  const bin = programs ?? '';
  /** The server refuses to run as root. */
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  let folder: string;
  let server: ChildProcess;
  let port: number;
  const urlOf = (name: string): string => `postgresql://candor@127.0.0.1:${port}/${name}`;
  const open = (name: string): Database =>
    new Database({ url: urlOf(name), applicationName: 'candor-test', poolSize: 4, unscoped: 'owner' });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'candor-backup-'));
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    await run(join(bin, 'initdb'), ['-D', data, '-U', 'candor', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
      ...user,
      cwd: folder,
    });
    port = await freePort();
    const settings = [
      '-D',
      data,
      '-p',
      String(port),
      '-c',
      'listen_addresses=127.0.0.1',
      '-k',
      folder,
      '-c',
      'fsync=off',
    ];
    server = spawn(join(bin, 'postgres'), settings, { ...user, cwd: folder, stdio: 'ignore' });
    const admin = open('postgres');
    try {
      await waitFor(() => admin.ping().then(() => true), { what: 'the server' });
      await admin.read((manager) => manager.query('CREATE DATABASE before'));
      await admin.read((manager) => manager.query('CREATE DATABASE after'));
    } finally {
      await admin.close();
    }
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  const signer = new AuditSigner(new Map([['key-1', randomBytes(32)]]));

  async function seal(database: Database, tenantId: string): Promise<void> {
    await database.transaction((transaction) => announceSigner(transaction, signer));
    const { horizon } = await database.read((manager) => beginSealingRound(manager));
    await database.transaction((transaction) => sealNextBatch(transaction, tenantId, { signer, horizon }));
  }
  const write = (database: Database, tenantId: string): Promise<void> =>
    database.transaction((transaction) =>
      writeAuditEvents(transaction, [
        {
          tenantId,
          requestId: randomUUID(),
          action: 'search.query',
          outcome: 'succeeded',
          actorApiKeyId: null,
          actorType: 'agent',
          targetType: null,
          targetId: null,
          metadata: { query: 'what was decided?' },
        },
      ]),
    );
  /** What has to be the same: the corpus, its history and files, and the head of the chain. */
  async function describeState(database: Database, tenantId: string) {
    const query = <Row>(sql: string): Promise<Row[]> => database.read((manager) => manager.query(sql, [tenantId]));
    const [generation] = await query<{ corpus_sum: string; item_count: number }>(
      `SELECT corpus_sum, item_count FROM generations WHERE tenant_id = $1 AND status = 'live'`,
    );
    if (!generation) throw new Error('no live generation');
    const chain = await database.read((manager) => readChain(manager, tenantId));
    return {
      corpus: corpusFingerprintOf({ corpusSum: generation.corpus_sum, itemCount: generation.item_count }),
      versions: await query(
        `SELECT item_id, version, state, text, content_hash, recorded_at, superseded_at FROM item_versions
         WHERE tenant_id = $1 ORDER BY item_id, version`,
      ),
      chunks: await query(`SELECT * FROM chunks WHERE tenant_id = $1 ORDER BY id`),
      files: await query(
        `SELECT item_id, sha256, encode(sha256(bytes), 'hex') AS stored FROM item_files WHERE tenant_id = $1`,
      ),
      head: chain.head,
    };
  }

  it('give the same corpus, history, files and chain, which goes on', async () => {
    const before = open('before');
    const after = open('after');
    try {
      await before.migrate();
      const tenant = await TestTenant.create(before);
      const item = await tenant.add(buildDocument({ body: 'The limit is 20 MiB.' }));
      await tenant.add(buildDocument({ externalId: 'second', body: 'The tower is 74 meters high.' }));
      await before.read((manager) =>
        manager.query(
          `INSERT INTO item_files (item_id, version, tenant_id, name, media_type, byte_size, sha256, bytes)
           VALUES ($1, $2, $3, 'x.bin', 'application/octet-stream', 4, encode(sha256('\\x00ff0a5c'), 'hex'), '\\x00ff0a5c')`,
          [item.itemId, item.version, tenant.id],
        ),
      );
      await write(before, tenant.id);
      await seal(before, tenant.id);
      // Unsealed at the time of the dump.
      await write(before, tenant.id);

      const dump = join(folder, 'candor.dump');
      await run(join(bin, 'pg_dump'), ['--format=custom', '--no-owner', `--file=${dump}`, urlOf('before')]);
      await run(join(bin, 'pg_restore'), ['--no-owner', '--exit-on-error', `--dbname=${urlOf('after')}`, dump]);
      // The services do so at their start.
      await after.migrate();

      const state = await describeState(before, tenant.id);
      expect(state.head).toMatchObject({ batch: 1 });
      expect(state.versions).toHaveLength(2);
      expect(state.files).toEqual([expect.objectContaining({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })]);
      expect(await describeState(after, tenant.id)).toEqual(state);

      await write(after, tenant.id);
      await seal(after, tenant.id);
      const verification = await after.read((manager) =>
        verifyChain(manager, tenant.id, { fromBatch: 1, mostBatches: 10 }),
      );
      expect(verification).toMatchObject({ intact: true, findings: [], events: 3, toBatch: 2, unsealedEvents: 0 });
      await expect(after.read((manager) => manager.query('DELETE FROM audit_events'))).rejects.toThrow(
        'audit events cannot be changed',
      );
    } finally {
      await Promise.all([before.close(), after.close()]);
    }
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
