import { listProviders, narrowToKey, narrowToRequest } from './narrow-scope.js';

describe('narrowToKey', () => {
  it('takes what both the token and the key allow', () => {
    expect(
      narrowToKey(
        { allowedProviders: ['slack', 'notion'], principals: ['user:a@x.org', 'group:eng@x.org'] },
        { allowedProviders: ['notion', 'gmail'], principals: ['group:eng@x.org'] },
      ),
    ).toEqual({ allowedProviders: ['notion'], principals: ['group:eng@x.org'] });
  });

  it('takes the limit of one side when the other has none', () => {
    const limited = { allowedProviders: ['slack' as const], principals: ['user:a@x.org'] };
    const unlimited = { allowedProviders: null, principals: null };
    expect(narrowToKey(limited, unlimited)).toEqual(limited);
    expect(narrowToKey(unlimited, limited)).toEqual(limited);
    expect(narrowToKey(unlimited, unlimited)).toEqual(unlimited);
  });

  it('leaves nothing when nothing is shared, which is not the same as no limit', () => {
    const scope = narrowToKey(
      { allowedProviders: ['slack'], principals: ['user:a@x.org'] },
      { allowedProviders: ['gmail'], principals: ['user:b@x.org'] },
    );
    expect(scope).toEqual({ allowedProviders: [], principals: [] });
  });
});

describe('narrowToRequest', () => {
  it('never widens the key', () => {
    const scope = narrowToRequest({ allowedProviders: ['slack'], principals: null }, ['slack', 'gmail']);
    expect(listProviders(scope)).toEqual(['slack']);
  });
});

describe('listProviders', () => {
  it('lists all five for an unlimited key, in alphabetical order', () => {
    expect(listProviders({ allowedProviders: null, principals: null })).toEqual([
      'gmail',
      'google_drive',
      'notion',
      'slack',
      'upload',
    ]);
  });
});
