import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { writeAuditEvents } from '@candor/audit';
import { CALIBRATION_GROWTH_ALARM } from '@candor/contracts';
import {
  closeAbandonedRequests,
  Database,
  deleteOldIdempotencyRecords,
  deleteOldPassageSessions,
  foldUsage,
  takeOutgrownCalibrations,
  type Transaction,
} from '@candor/persistence';
import { v4 as randomUuid } from 'uuid';
import { sampleCalibrations } from './sample-calibrations.js';

const EVERY_MS = 60_000;
/** Longer than any request's deadline, seconds. */
const ABANDONED_AFTER_SECONDS = 15 * 60;

/** Closes queued work whose end was never written (its gateway died), so that every `requested` event has one; drops what has expired. */
@Injectable()
export class HousekeepingService implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  onModuleInit(): void {
    sampleCalibrations(this.database.system('housekeeping'));
    this.timer = setInterval(() => void this.sweep(), EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async sweep(): Promise<void> {
    try {
      await this.database.system('housekeeping').transaction(async (transaction) => {
        await closeAbandonedRequests(transaction, ABANDONED_AFTER_SECONDS);
        await deleteOldIdempotencyRecords(transaction);
        await deleteOldPassageSessions(transaction);
        await foldUsage(transaction);
        await this.raiseGrowthAlarms(transaction);
      });
    } catch {
      // The database is down; readiness says so, and the next round tries again.
    }
  }

  /** Once for each calibration, before it is stale: strict reasoning would abstain from then on. */
  private async raiseGrowthAlarms(transaction: Transaction): Promise<void> {
    const outgrown = await takeOutgrownCalibrations(transaction, CALIBRATION_GROWTH_ALARM);
    await writeAuditEvents(
      transaction,
      outgrown.map(({ tenantId, calibrationId, ...facts }) => ({
        tenantId,
        requestId: randomUuid(),
        action: 'calibration.outgrown',
        outcome: 'succeeded',
        actorApiKeyId: null,
        actorType: 'service',
        targetType: 'calibration',
        targetId: calibrationId,
        metadata: facts,
      })),
    );
  }
}
