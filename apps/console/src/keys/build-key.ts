import type { Action, ActorType, CreateApiKeyBody, Provider } from '@candor/contracts';

export interface KeyInput {
  name: string;
  actorType: ActorType;
  actions: readonly Action[];
  /** All of them chosen = every provider, later ones too. */
  providers: readonly Provider[];
  allProviders: boolean;
  /** One a line or separated by commas; empty = a service key. */
  principals: string;
  /** Empty = the default; 0 = no limit. */
  rateLimit: string;
  /** A local date; empty = never. The key expires when the day ends. */
  expiresOn: string;
}

/** The request, or what is wrong by the field's name. */
export function buildKey(
  input: KeyInput,
  now: number,
): { body: CreateApiKeyBody } | { problems: Record<string, string> } {
  const problems: Record<string, string> = {};
  if (input.name.trim() === '') problems['name'] = 'Give it a name, so that others know what it is for.';
  if (input.actions.length === 0) problems['actions'] = 'Choose at least one action.';
  if (!input.allProviders && input.providers.length === 0) problems['providers'] = 'Choose at least one provider.';
  const limit = input.rateLimit.trim() === '' ? undefined : Number(input.rateLimit);
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0 && limit <= 1_000_000))
    problems['rateLimit'] = 'A whole number up to 1000000, or 0 for no limit.';
  const expiresAt = input.expiresOn === '' ? null : new Date(`${input.expiresOn}T23:59:59`);
  if (expiresAt && !(expiresAt.getTime() > now)) problems['expiresOn'] = 'Choose a day that is not over.';
  if (Object.keys(problems).length > 0) return { problems };
  const principals = input.principals
    .split(/[\n,]/)
    .map((principal) => principal.trim())
    .filter((principal) => principal !== '');
  return {
    body: {
      name: input.name.trim(),
      actorType: input.actorType,
      allowedActions: [...input.actions],
      allowedProviders: input.allProviders ? null : [...input.providers],
      principals: principals.length === 0 ? null : principals,
      ...(limit === undefined ? {} : { rateLimitPerMinute: limit === 0 ? null : limit }),
      ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}),
    },
  };
}
