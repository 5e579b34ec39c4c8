import { Inject, Injectable } from '@nestjs/common';
import { EmbedderRegistry } from '@candor/embeddings';
import {
  Database,
  findItemsAtRest,
  holdHeads,
  loadItemsToBuild,
  recordBuilt,
  type BuiltVersion,
  type ItemToBuild,
  type ItemVersionEntity,
  type SourceItemEntity,
} from '@candor/persistence';
import { SEARCH_INDEX_WRITER, type IndexOperation, type SearchIndexWriter } from '@candor/search-index/write';
import type { LiveIndex } from '../features/index-item/live-generations.service.js';
import { PassageEmbeddingService } from '../pipeline/passage-embedding.service.js';
import { cutVersion, toChunkDocuments, toRegistryChunks, type CutVersion } from './chunk-version.js';

interface CutItem {
  item: ItemToBuild;
  /** The oldest first; the last one is live. */
  versions: CutVersion[];
}

/** Writes items whole, with their past, from the database into one generation's index. Safe to repeat. */
@Injectable()
export class RebuildItemsService {
  constructor(
    private readonly database: Database,
    private readonly embedders: EmbedderRegistry,
    private readonly embedding: PassageEmbeddingService,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
  ) {}

  /** Returns how many were written; the others were deleted or got a new version meanwhile. */
  async rebuild(index: LiveIndex, itemIds: readonly string[], signal: AbortSignal): Promise<number> {
    const { tenantId } = index.generation;
    const items = await this.database.read((manager) => loadItemsToBuild(manager, tenantId, itemIds));
    if (items.length === 0) return 0;
    const cut = await this.cut(index, items, signal);
    signal.throwIfAborted();
    return this.write(index, cut);
  }

  /**
   * As `rebuild`, where the index may have a version that is newer than the live one and will never go live: all that it has
   * of the items goes in the same step. Items without a live version are removed, those with one on its way left alone.
   */
  async renew(index: LiveIndex, itemIds: readonly string[], signal: AbortSignal): Promise<void> {
    const { tenantId } = index.generation;
    const items = await this.database.read((manager) => loadItemsToBuild(manager, tenantId, itemIds));
    const cut = await this.cut(index, items, signal);
    signal.throwIfAborted();
    await this.database.transaction(async (transaction) => {
      const heads = await holdHeads(transaction, tenantId, itemIds);
      const atRest = await findItemsAtRest(transaction, itemIds);
      const free = heads.filter((head) => atRest.has(head.id) && !head.deletedAt);
      const steady = findSteady(cut, free);
      const gone = free.filter(({ liveVersion }) => liveVersion === null);
      if (steady.length + gone.length === 0) return;
      await this.writer.apply(index.address, [
        ...gone.map(({ id }): IndexOperation => ({ kind: 'delete-item', itemId: id })),
        ...steady.flatMap(({ versions, head }): IndexOperation[] => [
          { kind: 'delete-item', itemId: head.id },
          ...toOperations(versions, head),
        ]),
      ]);
      await recordBuilt(transaction, index.generation, toBuilt(steady, index));
    });
  }

  /** All at once, so that a model gets full batches, and takes turns with what is being ingested. */
  private cut({ generation }: LiveIndex, items: readonly ItemToBuild[], signal: AbortSignal): Promise<CutItem[]> {
    return this.embedders.use(generation.recipe?.embedding ?? null, (embedder) => {
      const embed = (texts: readonly string[]) => this.embedding.embed(embedder, generation.tenantId, texts, signal);
      const cutAll = (versions: readonly ItemVersionEntity[]): Promise<CutVersion[]> =>
        Promise.all(versions.map((version) => cutVersion(version, generation, embedder, embed)));
      return Promise.all(items.map(async (item) => ({ item, versions: await cutAll(item.versions) })));
    });
  }

  /**
   * While the index is written to, the heads are held: a delete, a new version or a change of access waits, and then
   * finds the chunks. So nothing is written of an item that is being deleted, and no crash can leave any.
   */
  private write({ generation, address }: LiveIndex, cut: readonly CutItem[]): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const ids = cut.map(({ item }) => item.head.id);
      const held = await holdHeads(transaction, generation.tenantId, ids);
      const steady = findSteady(cut, held);
      if (steady.length === 0) return 0;
      await this.writer.apply(
        address,
        steady.flatMap(({ versions, head }) => toOperations(versions, head)),
      );
      await recordBuilt(transaction, generation, toBuilt(steady, { generation }));
      return steady.length;
    });
  }
}

interface SteadyItem extends CutItem {
  head: SourceItemEntity;
}

/** What is still live as it was cut. */
function findSteady(cut: readonly CutItem[], held: readonly SourceItemEntity[]): SteadyItem[] {
  const heads = new Map(held.map((head) => [head.id, head]));
  return cut.flatMap((each) => {
    const head = heads.get(each.item.head.id);
    return head && !head.deletedAt && head.liveVersion === each.item.head.liveVersion ? [{ ...each, head }] : [];
  });
}

function toBuilt(steady: readonly SteadyItem[], { generation }: Pick<LiveIndex, 'generation'>): BuiltVersion[] {
  return steady.flatMap(({ versions }) =>
    versions.map((each) => ({
      itemId: each.version.itemId,
      version: each.version.version,
      chunks: toRegistryChunks(each, generation),
    })),
  );
}

function toOperations(versions: readonly CutVersion[], head: SourceItemEntity): IndexOperation[] {
  return versions.map((cut, position): IndexOperation => {
    const { itemId, version, title, recordedAt } = cut.version;
    const next = versions[position + 1];
    if (!next)
      return {
        kind: 'put-version',
        itemId,
        version,
        recordedAt: recordedAt.toISOString(),
        chunks: toChunkDocuments(cut, head),
      };
    // The past keeps the title it had; who may see it is a fact of today.
    const supersededAt = (cut.version.supersededAt ?? next.version.recordedAt).toISOString();
    const chunks = toChunkDocuments(cut, head).map((chunk) => ({ ...chunk, title }));
    return { kind: 'put-superseded', itemId, version, supersededAt, chunks };
  });
}
