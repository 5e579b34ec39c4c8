import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '@candor/contracts';
import { Database, resendStalledPromotions, resendStalledWork, startDueReconciliations } from '@candor/persistence';

const EVERY_MS = 5_000;
const BATCH = 20;

/** Sends work on generations again whose jobs were lost, and what has become due: retirements, the daily comparison. */
@Injectable()
export class GenerationSweeperService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(GenerationSweeperService.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.sweepSafely());
    }, EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** How many jobs were sent. */
  sweep(): Promise<number> {
    return this.database.system('sweep').transaction(async (transaction) => {
      const work = await resendStalledWork(transaction, BATCH);
      const promotions = await resendStalledPromotions(transaction, BATCH);
      return work + promotions + (await startDueReconciliations(transaction, BATCH));
    });
  }

  private async sweepSafely(): Promise<void> {
    try {
      const sent = await this.sweep();
      if (sent > 0) this.logger.log(`Sent ${sent} jobs of generations`);
    } catch (error) {
      this.logger.warn(`Sweep of generations failed; the next round tries again: ${AppError.from(error).code}`);
    }
  }
}
