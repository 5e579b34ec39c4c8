import { allowsAction, AppError, type Action, type CallerScope, type Provider } from '@candor/contracts';

export interface Grant {
  allowedActions?: Action[] | undefined;
  allowedProviders?: Provider[] | null | undefined;
  principals?: string[] | null | undefined;
}

/** Nobody can grant what they do not have; null stands for "all", so only who has all can grant it. */
export function requireGrantable(creator: CallerScope, grant: Grant): void {
  const action = grant.allowedActions?.find((wanted) => !allowsAction(creator, wanted));
  if (action) throw refusal('allowedActions', `the action "${action}"`);
  if (grant.allowedProviders !== undefined && !within(grant.allowedProviders, creator.allowedProviders))
    throw refusal('allowedProviders', 'providers beyond its own');
  if (grant.principals !== undefined && !within(grant.principals, creator.principals))
    throw refusal('principals', 'principals beyond its own');
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
