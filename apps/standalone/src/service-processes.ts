import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AppError, LONGEST_RUN_MS } from '@candor/contracts';
import { openLog } from '@candor/services';

/** MiB for young objects: with Node's 16, retrieval spends a tenth of its time moving the hits of searches under way. */
const NODE_FLAGS = ['--max-semi-space-size=64'];
const RESTART_PAUSE_MS = 1_000;
/** Longer than any of them lets what it has taken go on. */
const STOP_GRACE_MS = LONGEST_RUN_MS + 15_000;
/** A service that ends so often before the first readiness will not start at all. */
const MOST_FAILED_STARTS = 3;

/** Undefined = not set. */
export type ServiceEnvironment = Record<string, string | undefined>;

/** The services' processes: each with its own environment and log, started again when it ends by itself. */
export class ServiceProcesses {
  private readonly children = new Map<string, ChildProcess>();
  private readonly failedStarts = new Map<string, number>();
  private stopping = false;
  private ready = false;
  private reportFailure: (error: AppError) => void = () => undefined;
  /** Rejects when a service keeps ending before everything was ready once. */
  readonly failed: Promise<never>;

  constructor(
    private readonly logs: string,
    private readonly report: (line: string) => void,
    private readonly inherited: ServiceEnvironment,
    private readonly entryOf: (service: string) => string = findEntry,
  ) {
    this.failed = new Promise((_, reject) => (this.reportFailure = reject));
    // Whoever waits for readiness hears of it; nobody else has to.
    this.failed.catch(() => undefined);
  }

  /** From now on a service that ends is started again, however often. */
  markReady(): void {
    this.ready = true;
  }

  start(service: string, environment: ServiceEnvironment): void {
    if (this.stopping) return;
    const log = openLog(join(this.logs, `${service}.log`));
    // The channel tells a service when its launcher is gone, however that ended. Detached: a terminal's Ctrl-C would
    // reach all of them at once, and we stop them in order.
    const child = spawn(process.execPath, [...NODE_FLAGS, this.entryOf(service)], {
      env: { ...this.inherited, ...environment },
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.children.set(service, child);
    child.once('exit', (code, signal) => void this.afterExit(service, environment, signal ?? `code ${code}`));
  }

  pidOf(service: string): number | undefined {
    return this.children.get(service)?.pid;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    // The gateway first: it finishes its requests while the others still answer.
    await this.stopOne('gateway');
    await Promise.all([...this.children.keys()].map((service) => this.stopOne(service)));
  }

  private async stopOne(service: string): Promise<void> {
    const child = this.children.get(service);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
    await ended;
    clearTimeout(timer);
  }

  private async afterExit(service: string, environment: ServiceEnvironment, how: string): Promise<void> {
    if (this.stopping) return;
    const log = join(this.logs, `${service}.log`);
    const failedStarts = (this.failedStarts.get(service) ?? 0) + 1;
    this.failedStarts.set(service, failedStarts);
    if (!this.ready && failedStarts >= MOST_FAILED_STARTS) {
      const lastLine = (await readFile(log, 'utf8')).trim().split('\n').at(-1) ?? '';
      this.reportFailure(
        new AppError('CONFIG.INVALID', { message: `${service} does not start (${how}): ${lastLine.slice(0, 500)}` }),
      );
      return;
    }
    this.report(`${service} ended (${how}); its log is ${log}. Starting it again.`);
    await delay(RESTART_PAUSE_MS);
    this.start(service, environment);
  }
}

function findEntry(service: string): string {
  return fileURLToPath(new URL(`../../${service}/dist/main.js`, import.meta.url));
}
