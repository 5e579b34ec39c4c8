import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const RESTART_PAUSE_MS = 1_000;
const STOP_GRACE_MS = 35_000;

/** Undefined = not set. */
export type ServiceEnvironment = Record<string, string | undefined>;

/** The services' processes: each with its own environment and log, started again when it ends by itself. */
export class ServiceProcesses {
  private readonly children = new Map<string, ChildProcess>();
  private stopping = false;

  constructor(
    private readonly logs: string,
    private readonly report: (line: string) => void,
    private readonly inherited: ServiceEnvironment,
  ) {}

  start(service: string, environment: ServiceEnvironment): void {
    if (this.stopping) return;
    const log = openSync(join(this.logs, `${service}.log`), 'a');
    const entry = fileURLToPath(new URL(`../../${service}/dist/main.js`, import.meta.url));
    // The channel tells a service when its launcher is gone, however that ended.
    const child = spawn(process.execPath, [entry], {
      env: { ...this.inherited, ...environment },
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
    this.report(`${service} ended (${how}); its log is ${join(this.logs, `${service}.log`)}. Starting it again.`);
    await delay(RESTART_PAUSE_MS);
    this.start(service, environment);
  }
}
