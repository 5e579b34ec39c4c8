import { AppError } from '@candor/contracts';
import type { ItemFailure } from './source-connector.port.js';

/** `reason` is the provider's own word, for operators. */
export function unreadable(message: string, reason: string, cause?: unknown): AppError {
  return new AppError('CONNECTOR.ITEM_UNREADABLE', { message, details: { reason }, cause });
}

export function isUnreadable(error: unknown, reasons?: readonly string[]): error is AppError {
  return (
    error instanceof AppError &&
    error.code === 'CONNECTOR.ITEM_UNREADABLE' &&
    (reasons === undefined || reasons.includes(String(error.details?.['reason'])))
  );
}

/** For calls without which there is no run: a refusal there isn't about an item. */
export function toRunError(error: unknown, what: string): unknown {
  if (!isUnreadable(error)) return error;
  const reason = String(error.details?.['reason']);
  return new AppError('CONNECTOR.UNAVAILABLE', {
    message: `The provider refuses ${what}: ${reason}.`,
    retryable: false,
    details: { reason },
    cause: error,
  });
}

/**
 * A permanent error concerns the item alone; any other ends the slice, unless the item is given up for it (see
 * `OutageGuard`): it stays retryable then, so that a later run reads the item again.
 */
export function toItemFailure(
  externalId: string,
  title: string | null,
  error: unknown,
  isGivenUp = false,
): ItemFailure {
  if (!(error instanceof AppError)) throw error;
  if (!isGivenUp && (error.retryable || !isOfItem(error))) throw error;
  return { externalId, title, error };
}

function isOfItem({ code }: AppError): boolean {
  return code.startsWith('CONNECTOR.ITEM_') || code.startsWith('EXTRACT.');
}
