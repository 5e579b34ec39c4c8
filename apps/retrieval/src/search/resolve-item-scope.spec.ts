import { idOf } from '../testing/builders.js';
import { resolveItemScope } from './resolve-item-scope.js';

const views = {
  collectionItems: async (_tenant: string, id: string) => (id === 'known' ? [idOf(1), idOf(2)] : null),
  taggedItems: async (_tenant: string, tags: readonly string[]) => (tags.includes('even') ? [idOf(2), idOf(4)] : []),
};
const resolve = (sourceItemId: string | null, collectionId: string | null, tags?: string[]) =>
  resolveItemScope(views, 'tenant', { sourceItemId, collectionId, ...(tags ? { tags } : {}) });

describe('resolveItemScope', () => {
  it('is unscoped when nothing is asked for', async () => {
    expect(await resolve(null, null)).toBeNull();
  });

  it('is the item, or the members of the collection', async () => {
    expect(await resolve(idOf(9), null)).toEqual([idOf(9)]);
    expect(await resolve(null, 'known')).toEqual([idOf(1), idOf(2)]);
  });

  it('is the intersection of both', async () => {
    expect(await resolve(idOf(2), 'known')).toEqual([idOf(2)]);
    expect(await resolve(idOf(9), 'known')).toEqual([]);
  });

  it('is what has the tags, within the other scopes', async () => {
    expect(await resolve(null, null, [])).toBeNull();
    expect(await resolve(null, null, ['even'])).toEqual([idOf(2), idOf(4)]);
    expect(await resolve(null, 'known', ['even'])).toEqual([idOf(2)]);
    expect(await resolve(idOf(1), null, ['even'])).toEqual([]);
    expect(await resolve(null, null, ['unknown'])).toEqual([]);
  });

  it('is empty, never unscoped, for an unknown collection', async () => {
    expect(await resolve(null, 'unknown')).toEqual([]);
    expect(await resolve(idOf(1), 'unknown')).toEqual([]);
  });
});
