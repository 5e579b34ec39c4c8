import type { Provider } from '@candor/contracts';

/**
 * Why something that was found is not in the page. The first four may be told to the caller (contract 1.1);
 * `withheld` and `gone` are for the audit alone: they are about what the caller may not see.
 */
export const EXCLUSION_CAUSES = [
  'relevance_floor',
  'superseded',
  'not_yet_known',
  'duplicate',
  'withheld',
  'gone',
] as const;
export type ExclusionCause = (typeof EXCLUSION_CAUSES)[number];

/** Counts distinct items by cause and provider. */
export class ExclusionTally {
  private readonly items = new Map<ExclusionCause, Map<Provider, Set<string>>>();

  add(cause: ExclusionCause, provider: Provider, itemId: string): void {
    const providers = this.items.get(cause) ?? new Map<Provider, Set<string>>();
    this.items.set(cause, providers);
    const itemIds = providers.get(provider) ?? new Set<string>();
    providers.set(provider, itemIds.add(itemId));
  }

  /** Providers in alphabetical order. */
  byProvider(cause: ExclusionCause): { provider: Provider; count: number }[] {
    return [...(this.items.get(cause) ?? [])]
      .map(([provider, itemIds]) => ({ provider, count: itemIds.size }))
      .sort((left, right) => (left.provider < right.provider ? -1 : 1));
  }

  /** Every cause that occurred, over all providers. */
  totals(): Partial<Record<ExclusionCause, number>> {
    return Object.fromEntries(
      EXCLUSION_CAUSES.flatMap((cause) => {
        const count = this.byProvider(cause).reduce((sum, entry) => sum + entry.count, 0);
        return count === 0 ? [] : [[cause, count]];
      }),
    );
  }
}
