import { KeyStore, looksLikeKey } from './key-store.js';

describe('KeyStore', () => {
  it('keeps, gives back and forgets', () => {
    const kept = new Map<string, string>();
    const store = new KeyStore(() => ({
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, value) => void kept.set(name, value),
      removeItem: (name) => void kept.delete(name),
    }));
    expect(store.load()).toBeNull();
    store.keep('gm_a_b');
    expect(store.load()).toBe('gm_a_b');
    store.forget();
    expect(store.load()).toBeNull();
    expect(kept.size).toBe(0);
  });

  it('goes on where the browser refuses storage', () => {
    const store = new KeyStore(() => {
      throw new Error('denied');
    });
    expect(() => store.keep('gm_a_b')).not.toThrow();
    expect(store.load()).toBeNull();
  });
});

describe('looksLikeKey', () => {
  it('knows the shape of a key', () => {
    expect(looksLikeKey('gm_b700dc0324bab3bb_6eaea35146fb4f9798bda5f20cb68913')).toBe(true);
    for (const text of ['', 'gm_', 'gm_short_x', 'Bearer gm_b700dc0324bab3bb_6eaea35146fb4f9798bda5f20cb68913'])
      expect(looksLikeKey(text)).toBe(false);
  });
});
