import { createCandorClient, type CandorClient } from '@candor/client';

/**
 * The gateway ends each request at a deadline of its own, which operators can raise, and says so with a 504: giving up before
 * it would hide that. This one ends what nobody answers at all.
 */
const DEADLINE_MS = 10 * 60_000;

/** Speaks to the gateway that served this page, and to nobody else. Repeating is left to the screens, which tell of it. */
export function openClient(apiKey: string): CandorClient {
  return createCandorClient({
    url: window.location.origin,
    apiKey,
    deadlineMs: DEADLINE_MS,
    retries: { limit: 0 },
  });
}
