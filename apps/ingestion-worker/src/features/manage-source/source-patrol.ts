import { AppError } from '@candor/contracts';
import type { Logger } from '@candor/runtime';
import type { SourceSchedulesService } from './source-schedules.service.js';
import type { SourceSweeperService } from './source-sweeper.service.js';

const SWEEP_MS = 2_000;
const SCHEDULES_MS = 60_000;

/** Looks after sources for as long as the worker runs. Each round that fails is said, and the next one tries again. */
export class SourcePatrol {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly pending = new Set<string>();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly sweeper: SourceSweeperService,
    private readonly schedules: SourceSchedulesService,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.enqueue('Schedules', () => this.schedules.applyAll());
    this.timers.push(
      setInterval(() => this.enqueue('Sources', () => this.sweeper.sweep()), SWEEP_MS),
      setInterval(() => this.enqueue('Schedules', () => this.schedules.applyAll()), SCHEDULES_MS),
    );
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.running;
  }

  private enqueue(what: string, round: () => Promise<number>): void {
    // A slow round is not followed by all those that it kept waiting.
    if (this.pending.has(what)) return;
    this.pending.add(what);
    this.running = this.running.then(async () => {
      try {
        const changed = await round();
        if (changed > 0) this.logger.info({ changed }, `${what}: put right`);
      } catch (error) {
        this.logger.warn({ code: AppError.from(error).code }, `${what}: failed; the next round tries again`);
      } finally {
        this.pending.delete(what);
      }
    });
  }
}
