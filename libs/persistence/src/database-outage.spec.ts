import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { chmod, mkdtemp } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@candor/contracts';
import { removeServiceData, startPostgres, type RunningService } from '@candor/services';
import { Database } from './database.js';
import { testServerUrl } from './testing.js';

jest.setTimeout(120_000);

// A server of its own, since it is killed; the same switch as for the others.
const withPostgres = testServerUrl(process.env) === null ? describe.skip : describe;

const unavailable = { code: 'DEPENDENCY.DATABASE_UNAVAILABLE', retryable: true, status: 503, retryAfterSeconds: 2 };

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no failure',
    (error: unknown) => error,
  );
}

withPostgres('a server that goes away', () => {
  let dataDir: string;
  let server: RunningService;
  let database: Database;

  const start = async (port = 0): Promise<RunningService> =>
    startPostgres({ dataDir: join(dataDir, 'postgres'), port });

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'candor-outage-'));
    await chmod(dataDir, 0o755);
    server = await start();
    database = new Database({ url: server.url, applicationName: 'outage' });
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
    await removeServiceData(dataDir);
  });

  it('is told apart from a wrong statement, and back by itself when it is back', async () => {
    await database.migrate();
    const port = Number(new URL(server.url).port);
    const asleep = failureOf(database.read((manager) => manager.query('SELECT pg_sleep(60)')));
    const inTransaction = failureOf(
      database.transaction(async (transaction) => {
        await transaction.query('SELECT 1');
        await transaction.query('SELECT pg_sleep(60)');
      }),
    );
    let goOn: () => void = () => undefined;
    const killed = new Promise<void>((resolve) => (goOn = resolve));
    const betweenStatements = failureOf(
      database.transaction(async (transaction) => {
        await transaction.query('SELECT 1');
        await killed;
        await transaction.query('SELECT 1');
      }),
    );
    await database.ping();
    await server.kill9();

    for (const failure of [await asleep, await inTransaction]) {
      expect(failure).toBeInstanceOf(AppError);
      expect(failure).toMatchObject(unavailable);
    }
    goOn();
    expect(await betweenStatements).toMatchObject(unavailable);
    expect(await failureOf(database.ping())).toMatchObject(unavailable);
    expect(
      await failureOf(database.transaction((transaction) => transaction.query<unknown>('SELECT 1'))),
    ).toMatchObject(unavailable);
    expect(await failureOf(database.migrate())).toMatchObject(unavailable);

    server = await start(port);
    await database.ping();
    await database.migrate();
    expect(await failureOf(database.read((manager) => manager.query('SELECT nothing')))).not.toMatchObject(unavailable);
  });

  it('may be absent when the process starts', async () => {
    const port = Number(new URL(server.url).port);
    await server.stop();
    const early = new Database({ url: server.url, applicationName: 'early' });
    try {
      expect(await failureOf(early.ping())).toMatchObject(unavailable);
      expect(await failureOf(early.migrate())).toMatchObject(unavailable);
      server = await start(port);
      await early.ping();
    } finally {
      await early.close();
    }
  });
});

describe('a server that accepts connections and says nothing', () => {
  it('is given up on', async () => {
    const sockets = new Set<{ destroy(): void }>();
    const silent = createServer((socket) => sockets.add(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const database = new Database({ url: `postgresql://x:y@127.0.0.1:${port}/z`, applicationName: 'silent' });
    try {
      expect(await failureOf(database.ping())).toMatchObject(unavailable);
    } finally {
      await database.close();
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => silent.close(resolve));
    }
  });
});
