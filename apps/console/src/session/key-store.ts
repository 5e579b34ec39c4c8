/** The part of `sessionStorage` that is used. */
export interface KeyStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

const NAME = 'candor.key';

/**
 * The key that the person signed in with. It is never in an address, a log or in `localStorage`: in memory, and if the
 * person wants so in the tab's own storage, which ends with the tab.
 */
export class KeyStore {
  constructor(private readonly storage: () => KeyStorage) {}

  load(): string | null {
    return this.attempt((storage) => storage.getItem(NAME)) ?? null;
  }

  keep(key: string): void {
    this.attempt((storage) => storage.setItem(NAME, key));
  }

  forget(): void {
    this.attempt((storage) => storage.removeItem(NAME));
  }

  /** Browsers may refuse storage as a whole; then the key lives in memory alone. */
  private attempt<Result>(act: (storage: KeyStorage) => Result): Result | undefined {
    try {
      return act(this.storage());
    } catch {
      return undefined;
    }
  }
}

/** What a key looks like; whether it is one, the gateway says. */
export function looksLikeKey(text: string): boolean {
  return /^gm_[A-Za-z0-9]{8,64}_[A-Za-z0-9]{16,128}$/.test(text);
}
