import type { Client } from '@elastic/elasticsearch';
import { AppError } from '@candor/contracts';
import { assertOperations, missingIndex, profileMismatch } from '../check-operations.js';
import { planOperations, type IndexPlan } from '../plan-operations.js';
import type { IndexAddress, IndexOperation, SearchIndexWriter } from '../search-index.port.js';
import { toSource, type VectorFormat } from './chunk-source.js';
import { createWriteClient, type ElasticsearchOptions } from './elasticsearch-client.js';
import { findMappingDrift } from './find-mapping-drift.js';
import { applyGraphSettings } from './graph-settings.js';
import { buildMapping, MAPPING_VERSION, mappedDimensions } from './index-mapping.js';
import { indexNames, type IndexNames } from './index-names.js';
import { indexUnavailable, isIndexMissing, mapElasticsearchError } from './map-elasticsearch-error.js';
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
  private readonly dimensions = new Map<string, number>();
  private readonly places = new Map<string, WritePlace>();
  private format: VectorFormat | undefined;

  constructor(
    options: ElasticsearchOptions,
    private readonly bulkLimits: BulkLimits = DEFAULT_BULK_LIMITS,
  ) {
    this.client = createWriteClient(options);
    this.replicas = options.replicas ?? 0;
  }

  ensureIndex(address: IndexAddress, dimensions: number): Promise<void> {
    return this.guard(async () => {
      const names = indexNames(address);
      // History first: a live index without one would fail every question about the past.
      await this.createIndex(names.history, names.historyWrite, dimensions);
      await this.createIndex(names.live, names.liveWrite, dimensions);
      await applyGraphSettings(this.client, [names.live, names.history]);
      const existing = await this.readDimensions(names.live);
      if (existing !== dimensions) throw profileMismatch(existing, dimensions);
    });
  }

  apply(address: IndexAddress, operations: readonly IndexOperation[]): Promise<void> {
    return this.guard(async () => {
      if (operations.length === 0) return;
      const names = indexNames(address);
      assertOperations(address, operations, await this.dimensionsOf(names));
      const place = this.placeOf(names);
      // The next call may write while this one waits to be seen.
      await place.write(async (isVisible) => {
        const known = operations.filter((operation) => operation.kind !== 'put-version' || !operation.isFirst);
        const itemIds = [...new Set(known.map((operation) => operation.itemId))];
        // What is not visible yet would be missing from the plan.
        if (itemIds.length > 0 && !isVisible) await place.refresh({ urgent: true });
        const stored =
          itemIds.length > 0 ? await loadStoredChunks(this.client, names, itemIds) : { live: [], history: [] };
        await this.carryOut(names, planOperations(stored, operations));
      });
      await place.refresh();
    });
  }

  countItem(address: IndexAddress, itemId: string): Promise<number> {
    return this.guard(async () => {
      const names = indexNames(address);
      try {
        await this.refresh(names);
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

  findDrift(address: IndexAddress, dimensions: number): Promise<string[]> {
    return this.guard(async () => {
      const { live, history } = indexNames(address);
      const mappings = await this.client.indices.getMapping({ index: [live, history], ignore_unavailable: true });
      return [live, history].flatMap((index) => {
        const place = index === live ? 'live' : 'history';
        const mapping = mappings[index]?.mappings;
        if (!mapping) return [`the ${place} index does not exist`];
        return findMappingDrift(buildMapping(dimensions), mapping).map((sentence) => `${place}: ${sentence}`);
      });
    });
  }

  dropIndex(address: IndexAddress): Promise<void> {
    return this.guard(async () => {
      const names = indexNames(address);
      this.dimensions.delete(names.live);
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

  private placeOf(names: IndexNames): WritePlace {
    let place = this.places.get(names.live);
    if (!place) this.places.set(names.live, (place = new WritePlace(() => this.refresh(names))));
    return place;
  }

  private async carryOut(names: IndexNames, plan: IndexPlan): Promise<void> {
    this.format ??= await findVectorFormat(this.client);
    const format = this.format;
    const copies = await loadChunksToCopy(this.client, names.live, plan.supersede);
    await this.send([
      ...copies.map((source) => indexLine(names.historyWrite, source.chunkId, source)),
      ...plan.indexHistory.map(({ chunk, supersededAt }) =>
        indexLine(names.historyWrite, chunk.chunkId, toSource(chunk, supersededAt, format)),
      ),
      ...plan.updateHistory.map(({ chunkId, metadata }) => updateLine(names.historyWrite, chunkId, metadata)),
    ]);
    await this.send([
      ...plan.indexLive.map((chunk) => indexLine(names.liveWrite, chunk.chunkId, toSource(chunk, null, format))),
      ...plan.updateLive.map(({ chunkId, metadata }) => updateLine(names.liveWrite, chunkId, metadata)),
    ]);
    await this.send([
      ...plan.deleteLive.map((chunkId) => deleteLine(names.liveWrite, chunkId)),
      ...plan.deleteHistory.map((chunkId) => deleteLine(names.historyWrite, chunkId)),
    ]);
  }

  private async send(lines: readonly BulkLine[]): Promise<void> {
    await sendBulk(this.client, lines, this.bulkLimits);
  }

  private async refresh(names: IndexNames): Promise<void> {
    const { _shards: shards } = await this.client.indices.refresh({ index: [names.live, names.history] });
    if (shards && shards.failed > 0) throw indexUnavailable(new Error(`shards failed ${shards.failed}`));
  }

  private async createIndex(index: string, alias: string, dimensions: number): Promise<void> {
    const response = await this.client.indices.create(
      {
        index,
        // Every write is followed by a refresh of ours.
        settings: { number_of_shards: 1, number_of_replicas: this.replicas, refresh_interval: '-1' },
        mappings: buildMapping(dimensions),
        aliases: { [alias]: {} },
      },
      { ignore: [400] },
    );
    const { error } = response as { error?: { type: string; reason: string } };
    if (error && error.type !== 'resource_already_exists_exception') throw new Error(`${error.type}: ${error.reason}`);
  }

  private async dimensionsOf(names: IndexNames): Promise<number> {
    const known = this.dimensions.get(names.live);
    if (known !== undefined) return known;
    const dimensions = await this.readDimensions(names.live);
    this.dimensions.set(names.live, dimensions);
    return dimensions;
  }

  private async readDimensions(index: string): Promise<number> {
    const mappings = await this.client.indices.getMapping({ index });
    const dimensions = mappedDimensions(mappings[index]?.mappings);
    if (dimensions === null) throw new AppError('INTERNAL.UNEXPECTED', { cause: new Error(`${index} has no vectors`) });
    return dimensions;
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
