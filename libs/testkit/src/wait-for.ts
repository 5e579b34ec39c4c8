import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** Named in the error when the time is up. */
  what: string;
  /** Default 60,000 ms. */
  timeoutMs?: number;
  /** Default 100 ms. */
  everyMs?: number;
}

/**
 * Asks again and again until `probe` gives something other than undefined, null or false.
 * A probe that throws has not succeeded yet; its last error is the cause of the failure in the end.
 */
export async function waitFor<Found>(
  probe: () => Promise<Found | undefined | null | false> | Found | undefined | null | false,
  { what, timeoutMs = 60_000, everyMs = 100 }: WaitOptions,
): Promise<Found> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let lastError: unknown;
    try {
      const found = await probe();
      if (found !== undefined && found !== null && found !== false) return found;
    } catch (error) {
      lastError = error;
    }
    if (Date.now() >= deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`, { cause: lastError });
    await delay(everyMs);
  }
}
