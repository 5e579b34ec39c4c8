import type { Quota, RouteContract } from '@candor/contracts';

/** Seconds of a window. */
export const RATE_WINDOWS = { requestsPerMinute: 60, answersPerDay: 86_400 } as const satisfies Partial<
  Record<Quota, number>
>;
export type RateQuota = keyof typeof RATE_WINDOWS;

/** Routes whose answer may cost a model's work. */
const ANSWERS = new Set(['/v1/reason', '/v1/reasoning']);

/** What a request counts towards; nothing for what isn't limited at all. */
export function rateQuotasOf(
  route: Pick<RouteContract, 'rateLimited'> & Partial<Pick<RouteContract, 'path'>>,
): RateQuota[] {
  if (route.rateLimited === false) return [];
  return route.path !== undefined && ANSWERS.has(route.path)
    ? ['requestsPerMinute', 'answersPerDay']
    : ['requestsPerMinute'];
}

/** All keys of a tenant share it. */
export function rateKeyOf(tenantId: string, quota: RateQuota): string {
  return `tenant-${tenantId}-${quota}`;
}
