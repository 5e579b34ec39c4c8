import { Redis } from 'ioredis';
import { mkdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { claimFolder } from '../claim-folder.js';
import { findProgram } from '../find-program.js';
import { makePrivateFolder } from '../make-private-folder.js';
import type { OnProgress, RunningService } from '../running-service.js';
import { PortTakenError, ServiceStartError } from '../service-start.error.js';
import { startOnPort } from '../start-on-port.js';
import { stopLeftovers } from '../stop-leftovers.js';
import { readLogTail, superviseProcess } from '../supervise-process.js';
import type { SupervisedProcess } from '../supervise-process.js';
import { installRedis } from './install-redis.js';

const PROGRAMS = ['redis-server', 'valkey-server'];
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

export interface StartRedisOptions {
  /** Made if missing, and closed to other users; holds the data and the log. */
  readonly dataDir: string;
  /** Port on 127.0.0.1; 0 or absent takes a free one. */
  readonly port?: number;
  /** Keep an append-only file, synced each second; default true. */
  readonly appendOnly?: boolean;
  readonly onProgress?: OnProgress;
}

/**
 * Starts a real Redis on 127.0.0.1 that never evicts, installing it first where apt-get can.
 *
 * @throws ServiceStartError saying what is in the way.
 */
export async function startRedis(options: StartRedisOptions): Promise<RunningService> {
  const onProgress = options.onProgress ?? (() => undefined);
  const program = await provideRedis(onProgress);
  await makePrivateFolder(resolve(options.dataDir));
  await mkdir(join(resolve(options.dataDir), 'data'), { recursive: true, mode: 0o700 });
  const dataDir = await realpath(resolve(options.dataDir));
  const release = await claimFolder(dataDir, 'Redis');
  try {
    const data = join(dataDir, 'data');
    await stopLeftovers({
      folder: data,
      names: PROGRAMS,
      pickMain: (found) => found,
      stopSignal: 'SIGTERM',
      timeoutMs: STOP_TIMEOUT_MS,
      onProgress,
    });
    const server = await startOnPort(options.port ?? 0, async (port) => ({
      process: await startOnce(program, data, join(dataDir, 'redis.log'), port, options.appendOnly ?? true),
      port,
    }));
    const exited = server.process.exited.then(release);
    return {
      url: `redis://127.0.0.1:${server.port}`,
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

async function provideRedis(onProgress: OnProgress): Promise<string> {
  const present = await findProgram(PROGRAMS);
  if (present !== undefined) {
    return present;
  }
  await installRedis(onProgress);
  const installed = await findProgram(PROGRAMS);
  if (installed === undefined) {
    throw new ServiceStartError('redis-server was installed but is still not on PATH; set REDIS_URL');
  }
  return installed;
}

async function startOnce(
  program: string,
  data: string,
  logFile: string,
  port: number,
  appendOnly: boolean,
): Promise<SupervisedProcess> {
  const server = await superviseProcess({
    command: program,
    args: [
      ...['--port', String(port), '--bind', '127.0.0.1', '--protected-mode', 'yes', '--daemonize', 'no', '--dir', data],
      // Jobs live here: evicting any of them would lose work.
      ...['--maxmemory-policy', 'noeviction'],
      ...['--appendonly', appendOnly ? 'yes' : 'no', '--appendfsync', 'everysec', '--save', ''],
      // Tests and a killed machine may cut the file's end; that must not keep the server down.
      ...['--aof-load-truncated', 'yes', '--ignore-warnings', 'ARM64-COW-BUG'],
    ],
    cwd: data,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    logFile,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  try {
    await waitUntilReady(server, port, logFile);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

async function waitUntilReady(server: SupervisedProcess, port: number, logFile: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (server.hasExited()) {
      const tail = await readLogTail(logFile);
      throw /Address already in use/i.test(tail)
        ? new PortTakenError(port, 'Redis')
        : new ServiceStartError(`Redis stopped while starting:\n${tail}`);
    }
    if (await isAnsweredBy(server.pid, port)) {
      return;
    }
    if (Date.now() > deadline) {
      throw new ServiceStartError(`Redis did not come up within ${START_TIMEOUT_MS / 1000} s; see ${logFile}`);
    }
    await delay(POLL_MS);
  }
}

/** Asks who answers, as another Redis may have been faster to take the port. False while nobody does or data is being loaded. */
async function isAnsweredBy(pid: number, port: number): Promise<boolean> {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    retryStrategy: () => null,
  });
  client.on('error', () => undefined); // Refused connections are expected until the server is up.
  try {
    await client.connect();
    const info = await client.info();
    return new RegExp(`^process_id:${pid}\r?$`, 'm').test(info) && /^loading:0\r?$/m.test(info);
  } catch {
    // Not up yet; whether it ever will be is the caller's clock and exit check.
    return false;
  } finally {
    client.disconnect();
  }
}
