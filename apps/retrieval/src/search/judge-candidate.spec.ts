import fc from 'fast-check';
import { PROVIDERS, type Provider } from '@candor/contracts';
import type { ItemHead, ReadScope } from '@candor/persistence/views';
import { aHead } from '../testing/builders.js';
import { judgeCandidate } from './judge-candidate.js';
import { narrowToKey, narrowToRequest } from './narrow-scope.js';

const EVERYTHING: ReadScope = { allowedProviders: null, principals: null };

const provider = fc.constantFrom(...PROVIDERS);
const principal = fc.constantFrom('user:a@x.org', 'user:b@x.org', 'group:eng@x.org', 'channel:C1', 'anyone');
const identities = fc.uniqueArray(
  principal.filter((value) => value !== 'anyone'),
  { maxLength: 3 },
);
const scope = fc.record({ allowedProviders: fc.option(fc.uniqueArray(provider)), principals: fc.option(identities) });
const head: fc.Arbitrary<ItemHead> = fc
  .record({
    provider,
    accessMode: fc.constantFrom('provider_scope' as const, 'acl' as const, 'unknown' as const),
    principals: fc.uniqueArray(principal, { maxLength: 3 }),
    current: fc.boolean(),
    superseded: fc.boolean(),
    notYetKnown: fc.boolean(),
  })
  .map(aHead);

/** The rule as api.md words it, written down a second time. */
function isPermitted(caller: ReadScope, item: ItemHead): boolean {
  const providers: readonly Provider[] = caller.allowedProviders ?? PROVIDERS;
  if (!providers.includes(item.provider)) return false;
  if (caller.principals === null) return true;
  if (item.accessMode === 'unknown') return false;
  if (item.accessMode === 'provider_scope') return true;
  const identities = new Set([...caller.principals, 'anyone']);
  return item.principals.some((listed) => identities.has(listed));
}

describe('judgeCandidate', () => {
  it.each([
    ['gone', undefined],
    ['visible', aHead()],
    ['outdated', aHead({ current: false })],
    ['superseded', aHead({ superseded: true })],
    ['not_yet_known', aHead({ notYetKnown: true, current: false })],
  ])('%s', (verdict, item) => {
    expect(judgeCandidate(EVERYTHING, item)).toBe(verdict);
  });

  it('shows an item without a policy to service keys and to no other', () => {
    const unknown = aHead({ accessMode: 'unknown', accessPolicy: null, principals: [] });
    expect(judgeCandidate(EVERYTHING, unknown)).toBe('visible');
    expect(judgeCandidate({ allowedProviders: null, principals: ['anyone'] }, unknown)).toBe('withheld');
    expect(judgeCandidate({ allowedProviders: null, principals: [] }, unknown)).toBe('withheld');
  });

  it('withholds an acl that lists nobody', () => {
    const nobody = aHead({ accessMode: 'acl', principals: [] });
    expect(judgeCandidate({ allowedProviders: null, principals: ['user:a@x.org'] }, nobody)).toBe('withheld');
  });

  it('gives any verdict but "withheld" only for what the caller may see', () => {
    fc.assert(
      fc.property(scope, head, (caller, item) => {
        expect(judgeCandidate(caller, item) !== 'withheld').toBe(isPermitted(caller, item));
      }),
    );
  });

  it('never sees more after narrowing, whichever side narrows', () => {
    fc.assert(
      fc.property(scope, scope, fc.option(fc.uniqueArray(provider)), head, (token, key, requested, item) => {
        const narrowed = narrowToRequest(narrowToKey(token, key), requested);
        if (judgeCandidate(narrowed, item) === 'withheld') return;
        expect(judgeCandidate(token, item)).not.toBe('withheld');
        expect(judgeCandidate(key, item)).not.toBe('withheld');
        expect(requested ?? PROVIDERS).toContain(item.provider);
      }),
    );
  });
});
