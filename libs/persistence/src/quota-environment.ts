import { z } from 'zod';
import type { QuotaLimits } from '@candor/contracts';

const limit = (what: string) =>
  z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe(`${what} a tenant may have, unless it has a limit of its own; default: no limit.`);

/** The installation's defaults; `PUT /v1/quotas` sets a tenant's own. */
export const quotaEnvironment = {
  CANDOR_QUOTA_ITEMS: limit('Items that'),
  CANDOR_QUOTA_STORAGE_BYTES: limit('Bytes of stored versions, as sent, that'),
  CANDOR_QUOTA_QUEUED_INGESTIONS: limit('Versions waiting to be indexed that'),
  CANDOR_QUOTA_REQUESTS_PER_MINUTE: limit('Requests a minute, over all its keys, that'),
  CANDOR_QUOTA_ANSWERS_PER_DAY: limit('Requests a day to /v1/reason and /v1/reasoning that'),
};

type QuotaConfig = { [Name in keyof typeof quotaEnvironment]?: z.output<(typeof quotaEnvironment)[Name]> };

export function quotaDefaultsFrom(config: QuotaConfig): QuotaLimits {
  const named = {
    items: config.CANDOR_QUOTA_ITEMS,
    storageBytes: config.CANDOR_QUOTA_STORAGE_BYTES,
    queuedIngestions: config.CANDOR_QUOTA_QUEUED_INGESTIONS,
    requestsPerMinute: config.CANDOR_QUOTA_REQUESTS_PER_MINUTE,
    answersPerDay: config.CANDOR_QUOTA_ANSWERS_PER_DAY,
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}
