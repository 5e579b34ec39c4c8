import { createApiKeyBodySchema } from '@candor/contracts';
import { buildKey, type KeyInput } from './build-key.js';

const NOW = Date.now();
const INPUT: KeyInput = {
  name: ' Agent ',
  actorType: 'agent',
  actions: ['search', 'context'],
  providers: ['slack'],
  allProviders: false,
  principals: 'user:a@x.org,\n group:eng ',
  rateLimit: '',
  expiresOn: '',
};
const build = (over: Partial<KeyInput> = {}) => buildKey({ ...INPUT, ...over }, NOW);

describe('buildKey', () => {
  it('makes what the contract takes', () => {
    const built = build();
    expect(createApiKeyBodySchema.parse('body' in built ? built.body : built)).toEqual({
      name: 'Agent',
      actorType: 'agent',
      allowedActions: ['search', 'context'],
      allowedProviders: ['slack'],
      principals: ['user:a@x.org', 'group:eng'],
    });
  });

  it('tells a service key, every provider, no limit and an expiry apart from what is absent', () => {
    const tomorrow = new Date(NOW + 86_400_000).toISOString().slice(0, 10);
    const built = build({ principals: ' ', allProviders: true, rateLimit: '0', expiresOn: tomorrow });
    expect(createApiKeyBodySchema.parse('body' in built ? built.body : built)).toMatchObject({
      principals: null,
      allowedProviders: null,
      rateLimitPerMinute: null,
      expiresAt: expect.stringMatching(/T/),
    });
    expect(build({ rateLimit: '90' })).toMatchObject({ body: { rateLimitPerMinute: 90 } });
  });

  it.each([
    [{ name: ' ' }, 'name'],
    [{ actions: [] }, 'actions'],
    [{ providers: [] }, 'providers'],
    [{ rateLimit: '1.5' }, 'rateLimit'],
    [{ rateLimit: '-1' }, 'rateLimit'],
    [{ expiresOn: '2020-01-01' }, 'expiresOn'],
    [{ expiresOn: 'x' }, 'expiresOn'],
  ])('names the field of %p', (over, field) => {
    expect(build(over)).toEqual({ problems: { [field]: expect.any(String) } });
  });
});
