import { readFile, realpath, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { claimFolder } from '../claim-folder.js';
import { findProcessesIn, isAlive, waitUntil } from '../inspect-process.js';
import { makePrivateFolder } from '../make-private-folder.js';
import { readErrorCode } from '../read-error.js';
import type { OnProgress, RunningService } from '../running-service.js';
import { PortTakenError, ServiceStartError } from '../service-start.error.js';
import { startOnPort } from '../start-on-port.js';
import { stopLeftovers } from '../stop-leftovers.js';
import { readLogTail, superviseProcess } from '../supervise-process.js';
import type { Account, SupervisedProcess } from '../supervise-process.js';
import { chooseAccount } from './choose-account.js';
import { chooseLocation, nameOutsideLocation } from './choose-location.js';
import { DATABASE, ROLE, ensureDatabase } from './ensure-database.js';
import { SERVER_ENVIRONMENT, initialiseCluster } from './initialise-cluster.js';
import { prepareBinaries } from './prepare-binaries.js';

const STOP_TIMEOUT_MS = 30_000;
/** Replaying the log after a crash may take a while on a slow disk. */
const START_TIMEOUT_MS = 300_000;
const SHARED_MEMORY_ATTEMPTS = 20;

export interface StartPostgresOptions {
  /**
   * Made if missing, and closed to other users but for the way through that PostgreSQL's own needs; holds the password and the log,
   * and the data unless `postgres-location` in it says otherwise.
   */
  readonly dataDir: string;
  /** Port on 127.0.0.1; 0 or absent takes a free one. */
  readonly port?: number;
  readonly onProgress?: OnProgress;
}

/**
 * Starts a real PostgreSQL from npm on 127.0.0.1 with a database `candor` (UTF-8, C locale) that its role `candor` owns.
 * Data of an earlier run is used again, also after a crash; an orphan of a killed run is stopped first.
 *
 * @throws ServiceStartError saying what is in the way.
 */
export async function startPostgres(options: StartPostgresOptions): Promise<RunningService> {
  if (process.platform === 'win32') {
    throw new ServiceStartError(
      'starting PostgreSQL is not supported on Windows yet; set DATABASE_URL to a PostgreSQL server',
    );
  }
  const onProgress = options.onProgress ?? (() => undefined);
  await makePrivateFolder(resolve(options.dataDir), { holdsPostgres: true });
  const dataDir = await realpath(resolve(options.dataDir));
  const release = await claimFolder(dataDir, 'PostgreSQL');
  try {
    const account = await chooseAccount([join(dataDir, 'data'), join(nameOutsideLocation(dataDir), 'data')]);
    const location = await chooseLocation(dataDir, account);
    const binaries = await prepareBinaries(account, onProgress);
    const data = join(location, 'data');
    await clearLeftovers(data, onProgress);
    const password = await initialiseCluster({ dataDir, location, binaries, account, onProgress });
    const logFile = join(dataDir, 'postgres.log');
    const server = await startOnPort(options.port ?? 0, (port) =>
      startServer({ binaries, data, account, logFile, password, port }),
    );
    const exited = server.process.exited.then(release);
    return {
      url: `postgresql://${ROLE}:${password}@127.0.0.1:${server.port}/${DATABASE}`,
      pid: server.process.pid,
      exited,
      stop: async () => {
        await server.process.stop();
        await exited;
      },
      kill9: async () => {
        await server.process.kill9();
        await exited;
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

async function clearLeftovers(data: string, onProgress: OnProgress): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const recorded = await readRecordedPid(pidFile);
  const names = ['postgres'];
  // Only the postmaster gets a signal: its children follow it, and end by themselves when it was killed.
  await stopLeftovers({
    folder: data,
    names,
    pickMain: (found) => found.filter((pid) => pid === recorded),
    stopSignal: 'SIGINT',
    timeoutMs: STOP_TIMEOUT_MS,
    onProgress,
  });
  const isReused =
    recorded !== undefined && isAlive(recorded) && !(await findProcessesIn(data, names)).includes(recorded);
  if (isReused) {
    // PostgreSQL removes the file itself when the id is free, but takes any living process for its postmaster.
    await rm(pidFile, { force: true });
  }
}

async function readRecordedPid(pidFile: string): Promise<number | undefined> {
  try {
    const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

interface ServerOptions {
  readonly binaries: string;
  readonly data: string;
  readonly account: Account | undefined;
  readonly logFile: string;
  readonly password: string;
  readonly port: number;
}

async function startServer(options: ServerOptions): Promise<{ process: SupervisedProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { process: await startOnce(options), port: options.port };
    } catch (error) {
      // The last children of a killed server still hold its memory for a moment.
      const isWaiting = error instanceof ServiceStartError && error.message.includes('shared memory block');
      if (!isWaiting || attempt === SHARED_MEMORY_ATTEMPTS) {
        throw error;
      }
      await delay(500);
    }
  }
}

async function startOnce({
  binaries,
  data,
  account,
  logFile,
  password,
  port,
}: ServerOptions): Promise<SupervisedProcess> {
  const logStart = await readSize(logFile);
  const server = await superviseProcess({
    command: join(binaries, 'bin', 'postgres'),
    args: ['-D', data, ...listSettings(port).flatMap((setting) => ['-c', setting])],
    cwd: data,
    env: SERVER_ENVIRONMENT,
    logFile,
    account,
    stopSignal: 'SIGINT', // a "fast" shutdown: doesn't wait for clients to leave
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  try {
    await ensureDatabase({
      port,
      password,
      checkServer: async () => {
        if (server.hasExited()) {
          throw await explainExit(logFile, logStart, port);
        }
        if (Date.now() > deadline) {
          throw new ServiceStartError(`PostgreSQL did not come up within ${START_TIMEOUT_MS / 1000} s; see ${logFile}`);
        }
      },
    });
  } catch (error) {
    // Another server on the port may have answered in place of ours, which then ends for lack of it.
    const hasLostPort = !(error instanceof ServiceStartError) && (await waitUntil(() => server.hasExited(), 2_000));
    await server.stop();
    throw hasLostPort ? await explainExit(logFile, logStart, port) : error;
  }
  return server;
}

function listSettings(port: number): string[] {
  return [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'max_connections=200',
    'shared_buffers=128MB',
    'jit=off',
    'timezone=UTC',
    'log_timezone=UTC',
    'password_encryption=scram-sha-256',
    // Statements and details of failed ones hold what users store.
    'log_min_error_statement=panic',
    'log_error_verbosity=terse',
  ];
}

async function explainExit(logFile: string, logStart: number, port: number): Promise<ServiceStartError> {
  const tail = await readLogTail(logFile, logStart);
  return /could not bind|Address already in use/i.test(tail)
    ? new PortTakenError(port, 'PostgreSQL')
    : new ServiceStartError(`PostgreSQL stopped while starting:\n${tail}`);
}

async function readSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      return 0;
    }
    throw error;
  }
}
