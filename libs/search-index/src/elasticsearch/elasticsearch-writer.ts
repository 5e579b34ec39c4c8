import type { Client } from '@elastic/elasticsearch';
import { assertOperations, missingIndex, profileMismatch } from '../check-operations.js';
import { planOperations, type IndexPlan } from '../plan-operations.js';
import type {
  ChunkDocument,
  CountChunks,
  IndexAddress,
  IndexOperation,
  SearchIndexWriter,
} from '../search-index.port.js';
import { toSource, type VectorFormat } from './chunk-source.js';
import { createWriteClient, type ElasticsearchOptions } from './elasticsearch-client.js';
import { findMappingDrift } from './find-mapping-drift.js';
import { applyGraphSettings } from './graph-settings.js';
import { buildMapping, MAPPING_VERSION } from './index-mapping.js';
import { indexNames, type IndexNames } from './index-names.js';
import { indexUnavailable, isIndexMissing, mapElasticsearchError } from './map-elasticsearch-error.js';
import {
  DEFAULT_CHUNKS_PER_SHARD,
  documentId,
  findPlacement,
  MOST_SHARDS,
  NO_POOLS,
  poolOf,
  shardsFor,
  type Placement,
  type PoolSettings,
} from './placement.js';
import { aliasesOf, emptyPart } from './pool-part.js';
import {
  DEFAULT_BULK_LIMITS,
  deleteLine,
  indexLine,
  sendBulk,
  updateLine,
  type BulkLimits,
  type BulkLine,
} from './send-bulk.js';
import { findVectorFormat } from './vector-format.js';
import { WritePlace } from './write-place.js';
import { listStoredVersions, loadChunksToCopy, loadStoredChunks } from './stored-chunks.js';

/** Operations on one item must not run at the same time in two processes; the worker's item lease sees to that. */
export class ElasticsearchWriter implements SearchIndexWriter {
  readonly mappingVersion = MAPPING_VERSION;
  private readonly client: Client;
  private readonly replicas: number;
  private readonly pools: PoolSettings;
  private readonly chunksPerShard: number;
  /** Pools that are there, as far as this writer knows. */
  private readonly pooled = new Set<string>();
  private readonly placements = new Map<string, Placement>();
  private readonly places = new Map<string, WritePlace>();
  private format: VectorFormat | undefined;

  constructor(
    options: ElasticsearchOptions,
    private readonly bulkLimits: BulkLimits = DEFAULT_BULK_LIMITS,
  ) {
    this.client = createWriteClient(options);
    this.replicas = options.replicas ?? 0;
    this.pools = options.pools ?? NO_POOLS;
    this.chunksPerShard = options.chunksPerShard ?? DEFAULT_CHUNKS_PER_SHARD;
  }

  ensureIndex(address: IndexAddress, dimensions: number, countChunks?: CountChunks): Promise<void> {
    return this.guard(async () => {
      const names = indexNames(address);
      const existing = await findPlacement(this.client, names);
      const placement = existing ?? (await this.choosePlacement(address, dimensions, countChunks));
      if (placement.dimensions !== dimensions) throw profileMismatch(placement.dimensions, dimensions);
      const giveNames = (): Promise<unknown> =>
        this.client.indices.updateAliases({ actions: aliasesOf(address, placement) });
      const shards = existing || placement.isPooled ? 1 : await this.chooseShards(countChunks);
      await this.makeIndices(placement, shards);
      await giveNames().catch(async (error: unknown) => {
        // The pool was lost since it was made.
        if (!isIndexMissing(error) || !this.pooled.delete(placement.live)) throw error;
        await this.makeIndices(placement);
        await giveNames();
      });
      this.placements.set(names.live, placement);
    });
  }

  apply(address: IndexAddress, operations: readonly IndexOperation[]): Promise<void> {
    return this.guard(async () => {
      if (operations.length === 0) return;
      const names = indexNames(address);
      const placement = await this.placementOf(names);
      if (!placement) throw missingIndex();
      assertOperations(address, operations, placement.dimensions);
      const place = this.placeOf(placement);
      // The next call may write while this one waits to be seen.
      await place.write(async (isVisible) => {
        const known = operations.filter((operation) => operation.kind !== 'put-version' || !operation.isFirst);
        const itemIds = [...new Set(known.map((operation) => operation.itemId))];
        // What is not visible yet would be missing from the plan.
        if (itemIds.length > 0 && !isVisible) await place.refresh({ urgent: true });
        const stored =
          itemIds.length > 0 ? await loadStoredChunks(this.client, names, itemIds) : { live: [], history: [] };
        await this.carryOut(address, placement, planOperations(stored, operations));
      });
      await place.refresh();
    });
  }

  countItem(address: IndexAddress, itemId: string): Promise<number> {
    return this.guard(async () => {
      const names = indexNames(address);
      const placement = await this.placementOf(names);
      if (!placement) return 0;
      try {
        await this.refresh(placement);
        const index = [names.live, names.history];
        const { count, _shards: shards } = await this.client.count({ index, query: { term: { itemId } } });
        if (shards.failed > 0) throw indexUnavailable(new Error(`shards failed ${shards.failed}`));
        return count;
      } catch (error) {
        if (isIndexMissing(error)) return 0;
        throw error;
      }
    });
  }

  async *listVersions(address: IndexAddress): AsyncIterable<{ itemId: string; version: number; chunks: number }> {
    const names = indexNames(address);
    try {
      yield* listStoredVersions(this.client, names.live);
    } catch (error) {
      if (!isIndexMissing(error)) throw mapElasticsearchError(error);
    }
  }

  hasIndex(address: IndexAddress): Promise<boolean> {
    return this.guard(async () => (await findPlacement(this.client, indexNames(address))) !== null);
  }

  findDrift(address: IndexAddress, dimensions: number): Promise<string[]> {
    return this.guard(async () => {
      const placement = await findPlacement(this.client, indexNames(address));
      if (!placement) return ['the live index does not exist'];
      const index = [placement.live, placement.history];
      const mappings = await this.client.indices.getMapping({ index, ignore_unavailable: true });
      return (['live', 'history'] as const).flatMap((place) => {
        const mapping = mappings[placement[place]]?.mappings;
        if (!mapping) return [`the ${place} index does not exist`];
        return findMappingDrift(buildMapping(dimensions, placement), mapping).map((found) => `${place}: ${found}`);
      });
    });
  }

  dropIndex(address: IndexAddress): Promise<void> {
    return this.guard(async () => {
      const names = indexNames(address);
      this.placements.delete(names.live);
      // Asked anew: what is remembered may have been dropped by another worker.
      const placement = await findPlacement(this.client, names);
      if (placement?.isPooled) return emptyPart(this.client, address, placement);
      this.places.delete(names.live);
      for (const index of [names.live, names.history]) await this.client.indices.delete({ index }, { ignore: [404] });
    });
  }

  ping(signal?: AbortSignal): Promise<void> {
    return this.guard(async () => {
      await this.client.cluster.health({ timeout: '1s' }, { maxRetries: 0, ...(signal ? { signal } : {}) });
    });
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  /** A pool's is shared by its tenants, and so are its refreshes. */
  private placeOf(placement: Placement): WritePlace {
    let place = this.places.get(placement.live);
    if (!place) this.places.set(placement.live, (place = new WritePlace(() => this.refresh(placement))));
    return place;
  }

  private async carryOut(address: IndexAddress, placement: Placement, plan: IndexPlan): Promise<void> {
    this.format ??= await findVectorFormat(this.client);
    const format = this.format;
    const names = indexNames(address);
    const idOf = (chunkId: string): string => documentId(address, placement, chunkId);
    const sourceOf = (chunk: ChunkDocument, supersededAt: string | null): object => ({
      ...toSource(chunk, supersededAt, format),
      ...(placement.isPooled ? { generation: address.generation } : {}),
    });
    const copies = await loadChunksToCopy(this.client, names.live, plan.supersede);
    await this.send([
      ...copies.map((source) => indexLine(names.historyWrite, idOf(source.chunkId), source)),
      ...plan.indexHistory.map(({ chunk, supersededAt }) =>
        indexLine(names.historyWrite, idOf(chunk.chunkId), sourceOf(chunk, supersededAt)),
      ),
      ...plan.updateHistory.map(({ chunkId, metadata }) => updateLine(names.historyWrite, idOf(chunkId), metadata)),
    ]);
    await this.send([
      ...plan.indexLive.map((chunk) => indexLine(names.liveWrite, idOf(chunk.chunkId), sourceOf(chunk, null))),
      ...plan.updateLive.map(({ chunkId, metadata }) => updateLine(names.liveWrite, idOf(chunkId), metadata)),
    ]);
    await this.send([
      ...plan.deleteLive.map((chunkId) => deleteLine(names.liveWrite, idOf(chunkId))),
      ...plan.deleteHistory.map((chunkId) => deleteLine(names.historyWrite, idOf(chunkId))),
    ]);
  }

  private async send(lines: readonly BulkLine[]): Promise<void> {
    await sendBulk(this.client, lines, this.bulkLimits);
  }

  private async refresh({ live, history }: Placement): Promise<void> {
    const { _shards: shards } = await this.client.indices.refresh({ index: [live, history] });
    if (shards && shards.failed > 0) throw indexUnavailable(new Error(`shards failed ${shards.failed}`));
  }

  private async choosePlacement(
    address: IndexAddress,
    dimensions: number,
    countChunks: CountChunks | undefined,
  ): Promise<Placement> {
    const { live, history } = indexNames(address);
    const { count, maxChunks } = this.pools;
    const isSmall = count > 0 && countChunks !== undefined && (await countChunks(maxChunks + 1)) <= maxChunks;
    return isSmall ? poolOf(address, dimensions, this.pools) : { live, history, isPooled: false, dimensions };
  }

  /** Their number is for an index's life, so the next generation is when a tenant that has grown gets more. */
  private async chooseShards(countChunks: CountChunks | undefined): Promise<number> {
    const chunks = (await countChunks?.(this.chunksPerShard * MOST_SHARDS)) ?? 0;
    return shardsFor(chunks, this.chunksPerShard);
  }

  private async makeIndices(placement: Placement, shards = 1): Promise<void> {
    const { live, history } = placement;
    // A pool is made once, however many tenants come into it.
    if (this.pooled.has(live)) return;
    // History first: a live index without one would fail every question about the past.
    await this.createIndex(history, placement, shards);
    await this.createIndex(live, placement, shards);
    await applyGraphSettings(this.client, [live, history]);
    if (placement.isPooled) this.pooled.add(live);
  }

  private async createIndex(index: string, placement: Placement, shards: number): Promise<void> {
    const response = await this.client.indices.create(
      {
        index,
        // Every write is followed by a refresh of ours.
        settings: { number_of_shards: shards, number_of_replicas: this.replicas, refresh_interval: '-1' },
        mappings: buildMapping(placement.dimensions, placement),
      },
      { ignore: [400] },
    );
    const { error } = response as { error?: { type: string; reason: string } };
    if (error && error.type !== 'resource_already_exists_exception') throw new Error(`${error.type}: ${error.reason}`);
  }

  private async placementOf(names: IndexNames): Promise<Placement | null> {
    const placement = this.placements.get(names.live) ?? (await findPlacement(this.client, names));
    if (placement) this.placements.set(names.live, placement);
    return placement;
  }

  private async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isIndexMissing(error)) throw missingIndex();
      throw mapElasticsearchError(error);
    }
  }
}
