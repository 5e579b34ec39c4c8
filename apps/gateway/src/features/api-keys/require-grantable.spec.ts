import type { CallerScope } from '@candor/contracts';
import { requireGrantable, type Grant } from './require-grantable.js';

const creator = {
  allowedActions: ['keys:manage', 'search'],
  allowedProviders: ['slack', 'notion'],
  principals: ['user:a@x.example', 'group:eng@x.example'],
} as unknown as CallerScope;
const unrestricted = { allowedActions: ['admin'], allowedProviders: null, principals: null } as unknown as CallerScope;

function refusedField(scope: CallerScope, grant: Grant): unknown {
  try {
    requireGrantable(scope, grant);
    return null;
  } catch (error) {
    return (error as { details?: { field?: string } }).details?.field;
  }
}

describe('requireGrantable', () => {
  it.each<[Grant, string | null]>([
    [{ allowedActions: ['search'] }, null],
    [{ allowedActions: ['search', 'reason'] }, 'allowedActions'],
    [{ allowedActions: ['admin'] }, 'allowedActions'],
    [{ allowedProviders: ['slack'] }, null],
    [{ allowedProviders: ['slack', 'gmail'] }, 'allowedProviders'],
    [{ allowedProviders: null }, 'allowedProviders'],
    [{ principals: ['user:a@x.example'] }, null],
    [{ principals: [] }, null],
    [{ principals: ['user:b@x.example'] }, 'principals'],
    [{ principals: null }, 'principals'],
    [{}, null],
  ])('lets nobody grant what they do not have: %j → %j', (grant, field) => {
    expect(refusedField(creator, grant)).toBe(field);
  });

  it('lets who has everything grant anything', () => {
    expect(
      refusedField(unrestricted, { allowedActions: ['admin', 'reason'], allowedProviders: null, principals: null }),
    ).toBeNull();
  });
});
