import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { chmod, mkdtemp, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findProcessesIn, isAlive, sendSignal, waitUntil } from '../inspect-process.js';
import { removeServiceData } from '../remove-service-data.js';
import type { RunningService } from '../running-service.js';
import { nameOutsideLocation } from './choose-location.js';
import { startPostgres } from './start-postgres.js';

jest.setTimeout(120_000);

const isRoot = process.getuid?.() === 0;

async function query<Row extends pg.QueryResultRow>(service: RunningService, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: service.url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('startPostgres', () => {
  let dataDir: string;
  let started: RunningService[];

  const start = async (folder = dataDir, port?: number): Promise<RunningService> => {
    const service = await startPostgres({ dataDir: folder, ...(port === undefined ? {} : { port }) });
    started.push(service);
    return service;
  };

  beforeEach(async () => {
    started = [];
    dataDir = await mkdtemp(join(tmpdir(), 'candor-postgres-'));
    await chmod(dataDir, 0o755);
  });

  afterEach(async () => {
    await Promise.all(started.map((service) => service.stop()));
    await removeServiceData(dataDir);
  });

  it('gives an application role on a UTF-8 database that keeps its data over a restart', async () => {
    const first = await start();
    const [facts] = await query<{ encoding: string; collate: string; superuser: string; listen: string }>(
      first,
      `select pg_encoding_to_char(encoding) as encoding, datcollate as collate, current_setting('is_superuser') as superuser,
              current_setting('listen_addresses') as listen
         from pg_database where datname = current_database()`,
    );
    expect(facts).toEqual({ encoding: 'UTF8', collate: 'C', superuser: 'off', listen: '127.0.0.1' });
    await query(first, 'create table note (text text)');
    await query(first, `insert into note values ('grüße')`);
    await first.stop();
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);

    const second = await start();
    expect(await query(second, 'select text from note')).toEqual([{ text: 'grüße' }]);
  });

  it('asks for the password and keeps it from other users', async () => {
    const service = await start();
    const url = new URL(service.url);
    url.password = 'wrong';
    const client = new pg.Client({ connectionString: url.href });
    await expect(client.connect()).rejects.toMatchObject({ code: '28P01' });
    expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).not.toContain(new URL(service.url).password);
  });

  it('lets other users of the machine look into none of its folders', async () => {
    await start();
    expect((await stat(dataDir)).mode & 0o066).toBe(0);
    expect((await stat(await locateData(dataDir))).mode & 0o077).toBe(0);
    expect((await stat(join(dataDir, 'postgres.log'))).mode & 0o077).toBe(0);
  });

  it('recovers committed data after SIGKILL of the postmaster', async () => {
    const first = await start();
    await query(first, 'create table note as select generate_series(1, 1000) as number');
    sendSignal(first.pid, 'SIGKILL');
    await first.exited;

    const second = await start();
    expect(await query(second, 'select count(*)::int as count from note')).toEqual([{ count: 1000 }]);
  });

  it('starts although the recorded process id now belongs to another process', async () => {
    const first = await start();
    await first.kill9();
    const data = await locateData(dataDir);
    await waitUntil(async () => (await findProcessesIn(data, ['postgres'])).length === 0, 10_000);
    const pidFile = join(data, 'postmaster.pid');
    const lines = (await readFile(pidFile, 'utf8')).split('\n');
    await writeFile(pidFile, [String(process.ppid), ...lines.slice(1)].join('\n'));

    await expect(start()).resolves.toBeDefined();
  });

  it('stops the orphan of a killed run and takes its data over', async () => {
    const first = await start();
    await query(first, 'create table note as select 1 as number');
    // As if its owner had been killed: the claim names a process that doesn't exist.
    await writeFile(join(dataDir, 'owner.json'), JSON.stringify({ pid: 2147483646, started: '1' }));

    const second = await start();
    expect(isAlive(first.pid)).toBe(false);
    expect(await query(second, 'select number from note')).toEqual([{ number: 1 }]);
  });

  it('refuses a second start in the same folder and leaves the first alone', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(/already run by process/);
    expect(await query(first, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('says so when the port is taken', async () => {
    const first = await start();
    const other = await mkdtemp(join(tmpdir(), 'candor-postgres-'));
    await chmod(other, 0o755);
    try {
      await expect(start(other, Number(new URL(first.url).port))).rejects.toMatchObject({ name: 'PortTakenError' });
    } finally {
      await removeServiceData(other);
    }
  });

  if (!isRoot) {
    console.warn('not root: the tests of PostgreSQL below a folder closed to its user are skipped');
  }
  (isRoot ? describe : describe.skip)('as root below a folder that its user may not enter', () => {
    beforeEach(() => chmod(dataDir, 0o700));

    it('keeps the data outside, says where, and finds it again', async () => {
      const first = await start();
      const location = (await readFile(join(dataDir, 'postgres-location'), 'utf8')).trim();
      expect(location).toBe(nameOutsideLocation(dataDir));
      expect((await stat(join(location, 'data'))).uid).not.toBe(0);
      await query(first, 'create table note as select 1 as number');
      await first.stop();

      const second = await start();
      expect(await query(second, 'select number from note')).toEqual([{ number: 1 }]);
    });

    it('refuses to begin an empty database when the folder was moved', async () => {
      await (await start()).stop();
      const moved = `${dataDir}-moved`;
      await rename(dataDir, moved);
      try {
        await expect(start(moved)).rejects.toThrow(/the database of .* lies in \/var\/lib\/candor\//);
      } finally {
        await rename(moved, dataDir);
      }
    });
  });
});

async function locateData(dataDir: string): Promise<string> {
  try {
    return join((await readFile(join(dataDir, 'postgres-location'), 'utf8')).trim(), 'data');
  } catch {
    return join(dataDir, 'data');
  }
}
