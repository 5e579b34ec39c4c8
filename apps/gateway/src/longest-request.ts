import type { GatewayConfig } from './config.js';

/** For what is under way in front of and behind the deadline: the request's body, the audit event, the answer, ms. */
const AROUND_MS = 5_000;
/** Of what has no deadline of its own: writes, exports, uploads, ms. */
const WITHOUT_DEADLINE_MS = 20_000;

/** How long a request that was taken just now may go on, ms: so long a gateway that ends has to wait for it. */
export function longestRequestMs(config: Pick<GatewayConfig, 'SEARCH_DEADLINE_MS' | 'REASON_DEADLINE_MS'>): number {
  return Math.max(config.SEARCH_DEADLINE_MS, config.REASON_DEADLINE_MS, WITHOUT_DEADLINE_MS) + AROUND_MS;
}
