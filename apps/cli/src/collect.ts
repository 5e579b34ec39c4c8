/** Everything that comes, as a list. */
export async function collect<Item>(items: AsyncIterable<Item>, most = Number.POSITIVE_INFINITY): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) {
    if (all.length >= most) break;
    all.push(item);
  }
  return all;
}
