import { createCandorClient, type CandorClient } from '@candor/client';

/** Speaks to the gateway that served this page, and to nobody else. Repeating is left to the screens, which tell of it. */
export function openClient(apiKey: string): CandorClient {
  return createCandorClient({ url: window.location.origin, apiKey, retries: { limit: 0 } });
}
