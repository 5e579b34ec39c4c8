import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@candor/contracts';
import type { Logger } from '../logging/create-logger.js';

const PAUSE_MS = 1_000;

/** For start-up work: a dependency that is not there yet is waited for, any other failure ends the start. */
export async function retryUntilReachable<Result>(work: () => Promise<Result>, logger: Logger): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || !error.code.startsWith('DEPENDENCY.')) throw error;
      logger.warn({ code: error.code, reason: error.message }, 'Waiting for a dependency');
      await delay(PAUSE_MS);
    }
  }
}
