import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@candor/services';
import { findProcessesOf, type FoundProcess } from './find-processes.js';
import { waitFor } from './wait-for.js';

export type ProfileName = 'standalone' | 'distributed';
export type ServiceProcessName = 'gateway' | 'ingestion-worker' | 'retrieval' | 'synthesis';

export interface StartProfileOptions {
  /** Added to this process's environment; undefined takes a variable away. */
  env?: Record<string, string | undefined>;
  /** Of an earlier run, to start on its data. Default: a new folder, removed at the end. */
  dataDir?: string;
  /** Longest time until it is ready; default 240,000 ms. */
  timeoutMs?: number;
}

export interface StoppedProfile {
  exitCode: number | null;
  /** What it started and did not end. */
  leftovers: FoundProcess[];
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const ENTRIES: Record<ProfileName, string> = {
  standalone: 'apps/standalone/dist/main.js',
  distributed: 'apps/standalone/dist/distributed.js',
};
/** As `npm start` does once everything is installed and built; ends with the test run, also when that one is killed. */
const LAUNCH = `
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume().unref?.();
const { main } = await import(process.argv[1]);
await main();`;
const STOP_MS = 60_000;
const SHOWN_OUTPUT = 4_000;

/** One profile as its users start it: real processes, real HTTP, data in a folder of its own. */
export class RunningProfile {
  private output = '';

  private constructor(
    readonly profile: ProfileName,
    readonly url: string,
    readonly dataDir: string,
    private readonly child: ChildProcess,
    private readonly keepsData: boolean,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8');
      stream?.on('data', (text: string) => (this.output += text));
    }
  }

  /** Resolves when `/readyz` answers 200; rejects with the last lines of its output when it doesn't get there. */
  static async start(profile: ProfileName, options: StartProfileOptions = {}): Promise<RunningProfile> {
    const dataDir = options.dataDir ?? (await makeDataDir(profile));
    const port = await freePort();
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', LAUNCH, join(ROOT, ENTRIES[profile])], {
      cwd: ROOT,
      env: { ...inherited, HOST: '127.0.0.1', PORT: String(port), CANDOR_DATA: dataDir, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const running = new RunningProfile(
      profile,
      `http://127.0.0.1:${port}`,
      dataDir,
      child,
      options.dataDir !== undefined,
    );
    try {
      await running.waitUntilReady(options.timeoutMs ?? 240_000);
      return running;
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** What it printed so far. */
  get printed(): string {
    return this.output;
  }

  async readAdminKey(): Promise<string> {
    return (await readFile(join(this.dataDir, 'admin-key'), 'utf8')).trim();
  }

  /** Log of one service, or of the whole process in the standalone profile. */
  async readLog(service: ServiceProcessName): Promise<string> {
    const file = this.profile === 'standalone' ? 'candor.log' : join('logs', `${service}.log`);
    return readFile(join(this.dataDir, file), 'utf8');
  }

  /** Ids of the processes that run one service of the distributed profile. */
  async findService(service: ServiceProcessName): Promise<number[]> {
    const processes = await findProcessesOf(this.dataDir);
    return processes
      .filter(({ command }) => command.includes(join('apps', service, 'dist', 'main.js')))
      .map(({ pid }) => pid);
  }

  /** SIGKILL to the launcher: it gets no chance to end anything, its own servers included. */
  async kill9(): Promise<void> {
    if (this.hasExited) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  /** SIGTERM to the launcher, as Ctrl-C would; looks afterwards for what it left behind. */
  async stop(): Promise<StoppedProfile> {
    if (!this.hasExited) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      const inTime = await Promise.race([exited.then(() => true), delay(STOP_MS, false, { ref: false })]);
      if (!inTime) this.child.kill('SIGKILL');
      await exited;
    }
    const leftovers = await findProcessesOf(this.dataDir);
    for (const { pid } of leftovers) killIfThere(pid);
    if (!this.keepsData) await rm(this.dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    return { exitCode: this.child.exitCode, leftovers };
  }

  /** For `dataDir`: a folder that the caller removes. */
  static makeDataDir(profile: ProfileName): Promise<string> {
    return makeDataDir(profile);
  }

  private async waitUntilReady(timeoutMs: number): Promise<void> {
    try {
      await waitFor(
        async () => {
          if (this.hasExited) return 'exited';
          return (await fetch(`${this.url}/readyz`)).status === 200;
        },
        { what: `the ${this.profile} profile`, timeoutMs, everyMs: 200 },
      );
    } catch (error) {
      throw new Error(`${this.profile} did not get ready: ${this.output.slice(-SHOWN_OUTPUT)}`, { cause: error });
    }
    if (this.hasExited) throw new Error(`${this.profile} ended while starting: ${this.output.slice(-SHOWN_OUTPUT)}`);
  }
}

/** The embedded Postgres may run as another user, who has to get through. */
async function makeDataDir(profile: ProfileName): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `candor-${profile}-`));
  await chmod(folder, 0o755);
  return folder;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
