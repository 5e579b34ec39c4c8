import { AppError, type CallerScope } from '@candor/contracts';
import { maySeeItem, type ChunkRecord, type ItemHead } from '@candor/persistence/views';
import { narrowToKey } from '../../search/narrow-scope.js';
import type { Views } from '../../search/retrieval-run.js';
import { headKey } from '../../search/select-page.js';

/**
 * The chunk with its item's head, when the key as it is now may read it.
 *
 * @param chunk null = there is none.
 * @throws AppError AUTH.INVALID_KEY; RESOURCE.NOT_FOUND, the same whether the chunk is absent, deleted or not the
 *   caller's to read.
 */
export async function requireReadable(
  views: Pick<Views, 'recheck'>,
  caller: CallerScope,
  chunk: ChunkRecord | null,
): Promise<{ chunk: ChunkRecord; head: ItemHead }> {
  const { key, heads } = await views.recheck(caller.apiKeyId, chunk ? [chunk] : []);
  if (key === null || key.tenantId !== caller.tenantId) throw new AppError('AUTH.INVALID_KEY');
  const head = chunk ? heads.get(headKey(chunk)) : undefined;
  if (!chunk || !head || !maySeeItem(narrowToKey(caller, key), head)) throw new AppError('RESOURCE.NOT_FOUND');
  return { chunk, head };
}

/** Postgres would refuse anything else with an error of its own. */
export function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}
