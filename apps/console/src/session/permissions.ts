import type { Action } from '@candor/contracts';

/** `admin` includes all actions. */
export function allows(permissions: readonly string[], action: Action): boolean {
  return permissions.includes('admin') || permissions.includes(action);
}

/** What each action means, in plain words. Complete by its type. */
export const ACTION_NAMES: Readonly<Record<Action, string>> = {
  search: 'Search and read around passages',
  context: 'Context contracts',
  reason: 'Ask questions, check citations, give feedback',
  'documents:read': 'Read documents and source items',
  'documents:write': 'Add, change and delete documents',
  'collections:*': 'Collections',
  'prompts:*': 'Prompts',
  'sources:read': 'See connected sources',
  'sources:write': 'Connect, change and remove sources',
  'sync:read': 'See sync runs',
  'sync:write': 'Start and cancel sync runs',
  ingest: 'Push documents, see ingestions and dead letters',
  'audit:read': 'Read the audit trail',
  'keys:manage': 'Manage API keys',
  'proposals:review': 'Review proposals',
  'generations:manage': 'Manage generations of the index',
  admin: 'Everything',
};

export const ACTIONS = Object.keys(ACTION_NAMES) as Action[];
