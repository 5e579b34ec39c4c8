import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { isAlive, sendSignal, waitUntil } from './inspect-process.js';
import { openLog } from './open-log.js';
import { ServiceStartError } from './service-start.error.js';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface SuperviseOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Run as another user; only root may. */
  readonly account?: Account | undefined;
  readonly stopSignal: NodeJS.Signals;
  readonly stopTimeoutMs: number;
}

export interface SupervisedProcess {
  readonly pid: number;
  readonly exited: Promise<void>;
  hasExited(): boolean;
  stop(): Promise<void>;
  kill9(): Promise<void>;
}

/**
 * Runs a server in a session of its own, so that Ctrl-C in the terminal reaches us first, with its output in `logFile`.
 * It doesn't keep this process alive, and is stopped by a watchdog when this process ends without stopping it.
 */
export async function superviseProcess(options: SuperviseOptions): Promise<SupervisedProcess> {
  const child = await spawnServer(options);
  const pid = child.pid;
  if (pid === undefined) {
    throw new ServiceStartError(`${options.command} could not be started`);
  }
  const releaseWatchdog = watchOwner(pid, options.stopSignal);
  let done = child.exitCode !== null || child.signalCode !== null;
  const exited = new Promise<void>((resolve) => {
    const finish = (): void => {
      done = true;
      releaseWatchdog();
      resolve();
    };
    if (done) {
      finish();
    } else {
      child.once('exit', finish);
    }
  });
  child.unref();

  const waitForExit = async (timeoutMs: number): Promise<boolean> => waitUntil(() => done, timeoutMs);
  const kill9 = async (): Promise<void> => {
    if (!done) {
      child.kill('SIGKILL');
      await waitForExit(10_000);
    }
  };
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (!done) {
      child.kill(options.stopSignal);
      if (!(await waitForExit(options.stopTimeoutMs))) {
        await kill9();
      }
    }
  };
  return { pid, exited, hasExited: () => done, kill9, stop: () => (stopping ??= stop()) };
}

async function spawnServer(options: SuperviseOptions): Promise<ChildProcess> {
  const log = openLog(options.logFile);
  try {
    const child = spawn(options.command, options.args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['ignore', log, log],
      ...(options.account === undefined ? {} : { uid: options.account.uid, gid: options.account.gid }),
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) =>
        reject(new ServiceStartError(`${options.command}: ${error.message}`, { cause: error })),
      );
    });
    return child;
  } finally {
    closeSync(log);
  }
}

/**
 * Starts a small shell that signals `pid` (`-pid`: its process group) when this process is gone, however it went:
 * the shell's input ends with us.
 * Returns a function that calls it off.
 */
export function watchOwner(pid: number, signal: NodeJS.Signals): () => void {
  const script = 'read -r _line; kill -s "$2" -- "$1" 2>/dev/null';
  const watchdog = spawn('/bin/sh', ['-c', script, 'candor-watchdog', String(pid), signal.replace(/^SIG/, '')], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.on('error', () => undefined); // Without a shell the next start still finds the orphan.
  watchdog.stdin.on('error', () => undefined);
  (watchdog.stdin as Socket).unref();
  watchdog.unref();
  return () => {
    if (watchdog.pid !== undefined && watchdog.exitCode === null && isAlive(watchdog.pid)) {
      sendSignal(watchdog.pid, 'SIGKILL');
    }
  };
}

/** The last lines of a log file, for an error message; empty when there is none. */
export async function readLogTail(path: string, fromByte = 0, lines = 15): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    // A log that is shorter than before was begun anew.
    const start = Math.max(fromByte > size ? 0 : fromByte, size - 16_384);
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.max(0, size - start)),
      0,
      Math.max(0, size - start),
      start,
    );
    return buffer.subarray(0, bytesRead).toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } finally {
    await file.close();
  }
}
