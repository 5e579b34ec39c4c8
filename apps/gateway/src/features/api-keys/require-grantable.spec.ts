import { requireGrantable, type Grant, type Granter } from './require-grantable.js';

const END = new Date('2026-12-31T00:00:00Z');
const creator = {
  scope: {
    allowedActions: ['keys:manage', 'search'],
    allowedProviders: ['slack', 'notion'],
    principals: ['user:a@x.example', 'group:eng@x.example'],
  },
  apiKey: { rateLimitPerMinute: 60, expiresAt: END },
} as unknown as Granter;
const unrestricted = {
  scope: { allowedActions: ['admin'], allowedProviders: null, principals: null },
  apiKey: { rateLimitPerMinute: 60, expiresAt: null },
} as unknown as Granter;

function refusedField(granter: Granter, grant: Grant): unknown {
  try {
    requireGrantable(granter, grant);
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
    [{ rateLimitPerMinute: 60 }, null],
    [{ rateLimitPerMinute: 61 }, 'rateLimitPerMinute'],
    [{ rateLimitPerMinute: null }, 'rateLimitPerMinute'],
    [{ expiresAt: END }, null],
    [{ expiresAt: new Date(END.getTime() + 1) }, 'expiresAt'],
    [{ expiresAt: null }, 'expiresAt'],
    [{}, null],
  ])('lets nobody grant what they do not have: %j → %j', (grant, field) => {
    expect(refusedField(creator, grant)).toBe(field);
  });

  it('lets who has everything grant anything', () => {
    expect(
      refusedField(unrestricted, {
        allowedActions: ['admin', 'reason'],
        allowedProviders: null,
        principals: null,
        rateLimitPerMinute: null,
        expiresAt: null,
      }),
    ).toBeNull();
  });
});
