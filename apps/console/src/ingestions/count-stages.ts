import type { ItemState } from '@candor/contracts';

type Counts = Readonly<Partial<Record<ItemState, number>>>;

/** On the way, in the order in which an item passes them. */
export const STAGES: readonly ItemState[] = ['accepted', 'extracting', 'indexing'];

const UNDER_WAY = new Set<ItemState>([...STAGES, 'deleting']);

export function countAll(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** What has ended, well or badly. */
export function countDone(counts: Counts): number {
  return Object.entries(counts).reduce(
    (sum, [state, count]) => (UNDER_WAY.has(state as ItemState) ? sum : sum + count),
    0,
  );
}
