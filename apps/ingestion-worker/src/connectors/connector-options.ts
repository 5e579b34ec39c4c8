import type { RetryLimits } from './outbound-http/retry-request.js';

export interface ConnectorOptions {
  /** From the operator's configuration, never from a tenant. */
  allowPrivateAddresses: boolean;
  /** How long a request may be repeated before the sync gives up; for tests. */
  retry?: RetryLimits | undefined;
  /** Items a request asks for; smaller in tests. */
  pageSize?: number | undefined;
}

/** What one batch may hold. */
export const MAX_BATCH_ITEMS = 50;
