import { readFile } from 'node:fs/promises';
import type { RunningProfile, ServiceProcessName } from '@candor/testkit';

const EVERY_MS = 1_000;

/** Resident memory of a service of the running profile over time; 0 where /proc has nothing to say about it. */
export class MemoryWatch {
  private readonly samples: number[] = [];
  private readonly timer: NodeJS.Timeout;

  private constructor(private readonly pid: number) {
    this.timer = setInterval(() => void this.sample(), EVERY_MS);
  }

  static async start(running: RunningProfile, service: ServiceProcessName): Promise<MemoryWatch> {
    const [pid] = await running.findService(service);
    if (pid === undefined) throw new Error(`${service} is not running`);
    return new MemoryWatch(pid);
  }

  /** The largest sizes, bytes, of the second and of the last third of the time; the first is a warm-up. */
  async stop(): Promise<{ first: number; last: number }> {
    clearInterval(this.timer);
    await this.sample();
    const third = Math.floor(this.samples.length / 3);
    return {
      first: Math.max(0, ...this.samples.slice(third, 2 * third)),
      last: Math.max(0, ...this.samples.slice(2 * third)),
    };
  }

  private async sample(): Promise<void> {
    const status = await readFile(`/proc/${this.pid}/status`, 'utf8').catch(() => '');
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    this.samples.push(Number(kilobytes ?? 0) * 1024);
  }
}
