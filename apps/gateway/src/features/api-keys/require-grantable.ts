import { allowsAction, AppError, type Action, type Provider } from '@candor/contracts';
import type { Caller } from '../../access/caller.js';

/** Who grants: what the key may do, and for how long. */
export type Granter = Pick<Caller, 'scope'> & { apiKey: Pick<Caller['apiKey'], 'rateLimitPerMinute' | 'expiresAt'> };

export interface Grant {
  allowedActions?: Action[] | undefined;
  allowedProviders?: Provider[] | null | undefined;
  principals?: string[] | null | undefined;
  /** null = none. */
  rateLimitPerMinute?: number | null | undefined;
  /** null = never. */
  expiresAt?: Date | null | undefined;
}

/**
 * Nobody can grant what they do not have; null stands for "all", so only who has all can grant it. Limits are what an
 * administrator sets, so only others are held to their own; nobody's keys outlive them.
 */
export function requireGrantable({ scope: creator, apiKey }: Granter, grant: Grant): void {
  const action = grant.allowedActions?.find((wanted) => !allowsAction(creator, wanted));
  if (action) throw refusal('allowedActions', `the action "${action}"`);
  if (grant.allowedProviders !== undefined && !within(grant.allowedProviders, creator.allowedProviders))
    throw refusal('allowedProviders', 'providers beyond its own');
  if (grant.principals !== undefined && !within(grant.principals, creator.principals))
    throw refusal('principals', 'principals beyond its own');
  const { rateLimitPerMinute: limit, expiresAt } = grant;
  if (limit !== undefined && !allowsAction(creator, 'admin') && exceeds(limit, apiKey.rateLimitPerMinute))
    throw refusal('rateLimitPerMinute', 'a rate limit above its own');
  if (expiresAt !== undefined && exceeds(expiresAt, apiKey.expiresAt))
    throw refusal('expiresAt', 'a life longer than its own');
}

function exceeds<Bound extends number | Date>(wanted: Bound | null, held: Bound | null): boolean {
  return held !== null && (wanted === null || wanted > held);
}

function within(wanted: readonly string[] | null, held: readonly string[] | null): boolean {
  if (held === null) return true;
  return wanted !== null && wanted.every((value) => held.includes(value));
}

function refusal(field: string, what: string): AppError {
  return new AppError('AUTH.ACTION_NOT_ALLOWED', {
    message: `This key cannot grant ${what} (${field}).`,
    details: { field },
  });
}
