/**
 * `Promise.all(items.map(work))` with at most `width` under way, so one long call takes its turn among others and
 * stops at the first failure. The result keeps the order of the items.
 */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  const pull = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      try {
        results[index] = await work(items[index]!);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, pull));
  return results;
}
