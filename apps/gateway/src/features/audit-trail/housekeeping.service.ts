import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import {
  closeAbandonedRequests,
  Database,
  deleteOldIdempotencyRecords,
  deleteOldPassageSessions,
} from '@candor/persistence';

const EVERY_MS = 60_000;
/** Longer than any request's deadline, seconds. */
const ABANDONED_AFTER_SECONDS = 15 * 60;

/** Closes queued work whose end was never written (its gateway died), so that every `requested` event has one; drops what has expired. */
@Injectable()
export class HousekeepingService implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.sweep(), EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async sweep(): Promise<void> {
    try {
      await this.database.transaction(async (transaction) => {
        await closeAbandonedRequests(transaction, ABANDONED_AFTER_SECONDS);
        await deleteOldIdempotencyRecords(transaction);
        await deleteOldPassageSessions(transaction);
      });
    } catch {
      // The database is down; readiness says so, and the next round tries again.
    }
  }
}
