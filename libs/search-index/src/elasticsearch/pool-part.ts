import type { Client, estypes } from '@elastic/elasticsearch';
import type { IndexAddress } from '../search-index.port.js';
import { indexNames } from './index-names.js';
import { indexUnavailable } from './map-elasticsearch-error.js';
import { ownPart, type Placement } from './placement.js';

/**
 * The names by which a generation is written, and in a pool read too: there each shows the generation's own part alone,
 * so that readers needn't know where it lies.
 */
export function aliasesOf(
  address: IndexAddress,
  { live, history, isPooled }: Placement,
): estypes.IndicesUpdateAliasesAction[] {
  const names = indexNames(address);
  const aliases: [index: string, alias: string][] = [
    [history, names.historyWrite],
    [live, names.liveWrite],
  ];
  if (isPooled) aliases.push([history, names.history], [live, names.live]);
  const filter = isPooled ? { filter: ownPart(address) } : {};
  return aliases.map(([index, alias]) => ({ add: { index, alias, ...filter } }));
}

const ATTEMPTS = 3;

/**
 * Takes a generation out of its pool. No write gets there any more before it is emptied, and it is found, by a repeat
 * after a crash too, until it is empty.
 */
export async function emptyPart(client: Client, address: IndexAddress, { live, history }: Placement): Promise<void> {
  const names = indexNames(address);
  await removeAliases(client, [names.liveWrite, names.historyWrite]);
  const index = [live, history];
  for (let attempt = 1; ; attempt += 1) {
    // What isn't visible yet wouldn't be deleted.
    await client.indices.refresh({ index });
    const { failures, version_conflicts: conflicts } = await client.deleteByQuery({
      index,
      query: ownPart(address),
      conflicts: 'proceed',
      refresh: true,
    });
    if ((failures ?? []).length === 0 && (conflicts ?? 0) === 0) break;
    // A write that was under way: the next attempt sees it.
    if (attempt >= ATTEMPTS) throw indexUnavailable(new Error(`${failures?.length} failures, ${conflicts} conflicts`));
  }
  await removeAliases(client, [names.live, names.history]);
}

async function removeAliases(client: Client, aliases: string[]): Promise<void> {
  const actions = [{ remove: { index: 'candor-pool-*', aliases, must_exist: false } }];
  await client.indices.updateAliases({ actions }, { ignore: [404] });
}
