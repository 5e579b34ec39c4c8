import type { Table } from '@lancedb/lancedb';
import { access, mkdir } from 'node:fs/promises';
import { throwIfCancelled } from '@candor/runtime/cancellation';
import { assertOperations, missingIndex } from '../check-operations.js';
import { planOperations, type IndexPlan, type StoredChunk } from '../plan-operations.js';
import type { ChunkDocument, IndexAddress, IndexOperation, SearchIndexWriter } from '../search-index.port.js';
import { buildSchema, findSchemaDrift, fromRow, TABLE_VERSION, toRow, type ChunkRow } from './chunk-row.js';
import { LanceDbMaintenance, type TouchedRows } from './lancedb-maintenance.js';
import { LanceDbStore, type LanceDbOptions, type Partition, type Tables } from './lancedb-store.js';
import { mapLanceDbError } from './map-lancedb-error.js';
import { sqlIn, sqlString, sqlColumn } from './sql.js';

/** Ids in one condition; longer lists are cut into several. */
const IDS_PER_CONDITION = 500;
const ROWS_PER_WRITE = 2_000;

export class LanceDbWriter implements SearchIndexWriter {
  readonly mappingVersion = TABLE_VERSION;
  private readonly store: LanceDbStore;
  private readonly maintenance = new Map<Partition, LanceDbMaintenance>();

  constructor(private readonly options: LanceDbOptions) {
    this.store = LanceDbStore.acquire(options);
  }

  ensureIndex(address: IndexAddress, dimensions: number): Promise<void> {
    return this.inTurn(address, (partition) => partition.create(dimensions));
  }

  apply(address: IndexAddress, operations: readonly IndexOperation[]): Promise<void> {
    return this.inTurn(address, async (partition) => {
      if (operations.length === 0) return;
      const tables = await partition.open();
      if (!tables) throw missingIndex();
      assertOperations(address, operations, tables.dimensions);
      const itemIds = [...new Set(operations.map((operation) => operation.itemId))];
      const stored = {
        live: await loadStored(tables.live, itemIds),
        history: await loadStored(tables.history, itemIds),
      };
      const maintenance = this.maintenanceOf(partition);
      if (operations.some((operation) => operation.kind === 'delete-item')) await maintenance.markDeletes();
      const touched = await carryOut(tables, planOperations(stored, operations), stored.live);
      await maintenance.afterWrite(tables, touched);
    });
  }

  /** Before it says 0, deleted rows are removed from the files too; deletes that gathered share that work. */
  countItem(address: IndexAddress, itemId: string): Promise<number> {
    return this.inTurn(address, async (partition) => {
      const tables = await partition.open();
      if (!tables) return 0;
      const where = `${sqlColumn('itemId')} = ${sqlString(itemId)}`;
      const count = (await tables.live.countRows(where)) + (await tables.history.countRows(where));
      if (count === 0) await this.maintenanceOf(partition).purge(tables);
      return count;
    });
  }

  async *listVersions(address: IndexAddress): AsyncIterable<{ itemId: string; version: number; chunks: number }> {
    const versions = await this.inTurn(address, async (partition) => {
      const tables = await partition.open();
      return tables ? countVersions(tables.live) : [];
    });
    yield* versions;
  }

  hasIndex(address: IndexAddress): Promise<boolean> {
    return this.inTurn(address, async (partition) => (await partition.open()) !== null);
  }

  findDrift(address: IndexAddress, dimensions: number): Promise<string[]> {
    return this.inTurn(address, async (partition) => {
      const tables = await partition.open();
      if (!tables) return ['the index does not exist'];
      const drift = [];
      for (const place of ['live', 'history'] as const) {
        const sentences = findSchemaDrift(buildSchema(dimensions), await tables[place].schema());
        drift.push(...sentences.map((sentence) => `${place}: ${sentence}`));
      }
      return drift;
    });
  }

  dropIndex(address: IndexAddress): Promise<void> {
    return this.inTurn(address, async (partition) => {
      this.maintenance.get(partition)?.stop();
      await partition.drop();
    });
  }

  async ping(signal?: AbortSignal): Promise<void> {
    throwIfCancelled(signal);
    try {
      await mkdir(this.options.directory, { recursive: true });
      await access(this.options.directory);
    } catch (error) {
      throw mapLanceDbError(error);
    }
  }

  async close(): Promise<void> {
    for (const maintenance of this.maintenance.values()) maintenance.stop();
    await this.store.release();
  }

  private async inTurn<T>(address: IndexAddress, work: (partition: Partition) => Promise<T>): Promise<T> {
    const partition = this.store.partition(address);
    try {
      return await partition.inTurn(() => work(partition));
    } catch (error) {
      throw mapLanceDbError(error);
    }
  }

  private maintenanceOf(partition: Partition): LanceDbMaintenance {
    let maintenance = this.maintenance.get(partition);
    if (!maintenance) this.maintenance.set(partition, (maintenance = new LanceDbMaintenance(partition)));
    return maintenance;
  }
}

async function carryOut(tables: Tables, plan: IndexPlan, live: readonly StoredChunk[]): Promise<TouchedRows> {
  const superseded = new Map(plan.supersede.map((each) => [each.chunkId, each]));
  const history: ChunkRow[] = [];
  for (const { chunk } of await loadChunks(tables.live, [...superseded.keys()])) {
    const target = superseded.get(chunk.chunkId);
    if (target) history.push(toRow({ ...chunk, ...target.metadata }, target.supersededAt));
  }
  for (const { chunk, supersededAt } of plan.indexHistory) history.push(toRow(chunk, supersededAt));
  history.push(...(await patchedRows(tables.history, plan.updateHistory)));

  const stored = new Set(live.map((chunk) => chunk.chunkId));
  const added = plan.indexLive.filter((chunk) => !stored.has(chunk.chunkId));
  const replaced = plan.indexLive.filter((chunk) => stored.has(chunk.chunkId)).map((chunk) => toRow(chunk, null));
  replaced.push(...(await patchedRows(tables.live, plan.updateLive)));

  await upsert(tables.history, history);
  await upsert(tables.live, replaced);
  await upsert(
    tables.live,
    added.map((chunk) => toRow(chunk, null)),
  );
  await remove(tables.live, plan.deleteLive);
  await remove(tables.history, plan.deleteHistory);
  return {
    live: replaced.length + added.length + plan.deleteLive.length,
    history: history.length + plan.deleteHistory.length,
  };
}

async function loadStored(table: Table, itemIds: readonly string[]): Promise<StoredChunk[]> {
  const chunks: StoredChunk[] = [];
  for (const ids of slices(itemIds, IDS_PER_CONDITION)) {
    const result = await table.query().where(sqlIn('itemId', ids)).select(['document']).toArrow();
    for (const document of result.getChild('document') ?? []) {
      const { chunkId, itemId, version, accessMode, principals } = JSON.parse(document as string) as ChunkDocument;
      chunks.push({ chunkId, itemId, version, accessMode, principals });
    }
  }
  return chunks;
}

async function loadChunks(table: Table, chunkIds: readonly string[]): Promise<LoadedChunk[]> {
  const chunks: LoadedChunk[] = [];
  for (const ids of slices(chunkIds, IDS_PER_CONDITION)) {
    const select = ['document', 'vector', 'supersededAt'];
    const result = await table.query().where(sqlIn('chunkId', ids)).select(select).toArrow();
    for (let row = 0; row < result.numRows; row += 1) {
      const vector = (result.getChild('vector')?.get(row) as { toArray(): Float32Array }).toArray();
      const millis = result.getChild('supersededAt')?.get(row) as number | null;
      chunks.push({
        chunk: { ...fromRow(result.getChild('document')?.get(row) as string), vector },
        supersededAt: millis === null ? null : new Date(millis).toISOString(),
      });
    }
  }
  return chunks;
}

interface LoadedChunk {
  chunk: ChunkDocument;
  supersededAt: string | null;
}

async function patchedRows(table: Table, updates: IndexPlan['updateLive']): Promise<ChunkRow[]> {
  const metadata = new Map(updates.map((update) => [update.chunkId, update.metadata]));
  const chunks = await loadChunks(table, [...metadata.keys()]);
  return chunks.map(({ chunk, supersededAt }) => toRow({ ...chunk, ...metadata.get(chunk.chunkId) }, supersededAt));
}

async function upsert(table: Table, rows: readonly ChunkRow[]): Promise<void> {
  // One source row a key, or the merge refuses the whole batch.
  const distinct = [...new Map(rows.map((row) => [row.chunkId, row])).values()];
  for (const batch of slices(distinct, ROWS_PER_WRITE)) {
    await table
      .mergeInsert('chunkId')
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .execute(batch as unknown as Record<string, unknown>[]);
  }
}

async function remove(table: Table, chunkIds: readonly string[]): Promise<void> {
  for (const ids of slices(chunkIds, IDS_PER_CONDITION)) await table.delete(sqlIn('chunkId', ids));
}

async function countVersions(table: Table): Promise<{ itemId: string; version: number; chunks: number }[]> {
  const counts = new Map<string, { itemId: string; version: number; chunks: number }>();
  for await (const batch of table.query().select(['itemId', 'version'])) {
    for (let row = 0; row < batch.numRows; row += 1) {
      const itemId = batch.getChild('itemId')?.get(row) as string;
      const version = batch.getChild('version')?.get(row) as number;
      const key = `${version}/${itemId}`;
      const count = counts.get(key) ?? { itemId, version, chunks: 0 };
      count.chunks += 1;
      counts.set(key, count);
    }
  }
  return [...counts.values()];
}

function* slices<T>(values: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size);
}
