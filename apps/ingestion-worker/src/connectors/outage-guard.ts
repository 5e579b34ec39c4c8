import { AppError } from '@candor/contracts';
import { toItemFailure } from './item-errors.js';
import type { ItemFailure } from './source-connector.port.js';

/** What may pass, and isn't about pace. */
export function isOutage(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'CONNECTOR.UNAVAILABLE';
}

/**
 * Errors that a connector gave up on, each that of one thing, to whomever it comes up again: as what an item's load throws,
 * it must not be counted once more, without the answers between that made it one alone.
 */
const givenUp = new WeakSet<AppError>();

/** Two neighbours may both be broken for good, and must not hold up all that comes after them. */
const OUTAGE_IN_A_ROW = 3;

/**
 * Where a caller gives up: whose failure it is that a request fails. One that fails alone is its item's; the third in a row
 * of the same kind isn't about an item, and nothing is given up for it. Requests have to be made one after the other.
 */
export class OutageGuard {
  /** How many of the last requests of a kind failed. */
  private readonly failing = new Map<string, number>();
  private readonly outages = new WeakSet<AppError>();

  constructor(readonly giveUp: boolean) {}

  /** A refusal is an answer too. */
  async ask<Answer>(kind: string, request: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await request();
      this.failing.delete(kind);
      return answer;
    } catch (error) {
      this.note(kind, error);
      throw error;
    }
  }

  /** True for an error that may be taken for that of one thing alone. */
  isGivenUp(error: unknown): boolean {
    return this.giveUp && isOutage(error) && !this.outages.has(error);
  }

  /** Throws what isn't about the item: see `toItemFailure`. */
  toItemFailure(externalId: string, title: string | null, error: unknown): ItemFailure {
    const isGivenUp = this.isGivenUp(error);
    const failure = toItemFailure(externalId, title, error, isGivenUp);
    if (isGivenUp) givenUp.add(failure.error);
    return failure;
  }

  private note(kind: string, error: unknown): void {
    if (error instanceof AppError && givenUp.has(error)) return;
    if (!isOutage(error)) {
      if (error instanceof AppError && !error.retryable) this.failing.delete(kind);
      return;
    }
    const inARow = (this.failing.get(kind) ?? 0) + 1;
    this.failing.set(kind, inARow);
    if (inARow >= OUTAGE_IN_A_ROW) this.outages.add(error);
  }
}
