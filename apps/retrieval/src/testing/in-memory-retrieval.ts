import type { CallerScope } from '@candor/contracts';
import { EmbedderRegistry, type Embedder } from '@candor/embeddings';
import type { ItemHead } from '@candor/persistence/views';
import type { ChunkQuery, RetrievedPage } from '../search/retrieval-run.js';
import { RetrieveChunksService } from '../search/retrieve-chunks.service.js';
import type { PagePlan } from '../search/select-page.js';
import { aScope, idOf } from './builders.js';
import type { InMemoryWorld, PlacedChunk } from './in-memory-world.js';

export const ITEMS: PagePlan = {
  limit: 3,
  unit: 'item',
  floor: null,
  tailShare: null,
  rule: null,
  emptyUnlessRelevant: false,
};
export const PASSAGES: PagePlan = { ...ITEMS, unit: 'passage' };

const never = new AbortController().signal;

/** One retrieval by a service of its own. */
export function retrieveFrom(
  world: InMemoryWorld,
  embedder: Embedder,
  query: Partial<ChunkQuery> = {},
  plan: Partial<PagePlan> = {},
  scope: CallerScope = aScope(),
  signal: AbortSignal = never,
): Promise<RetrievedPage> {
  const service = new RetrieveChunksService(world, world, EmbedderRegistry.around(embedder));
  return service.retrieve(scope, { text: 'brand colour', ...query }, () => ({ ...ITEMS, ...plan }), signal);
}

export function itemsOf(page: { entries: { chunk: { itemId: string } }[] }): string[] {
  return page.entries.map(({ chunk }) => chunk.itemId);
}

/** Items `from`…`to`, the first the most similar. */
export function addItems(
  world: InMemoryWorld,
  from: number,
  to: number,
  head: Partial<ItemHead> = {},
  chunk: Partial<PlacedChunk> = {},
): void {
  for (let number = from; number <= to; number += 1) {
    const itemId = idOf(number);
    world.addItem({ itemId, ...head }, { cosine: 0.9 - number / 1000, ...chunk });
  }
}
