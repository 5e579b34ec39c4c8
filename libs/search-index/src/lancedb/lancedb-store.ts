import './native-threads.js';
import { existsSync } from 'node:fs';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { connect, Index, type Connection, type Table } from '@lancedb/lancedb';
import { profileMismatch } from '../check-operations.js';
import { assertAddress } from '../index-address.js';
import type { IndexAddress } from '../search-index.port.js';
import { buildSchema, schemaDimensions } from './chunk-row.js';
import { ReadWriteGate } from './read-write-gate.js';

export interface LanceDbOptions {
  /** One process at a time may have it open for writing. */
  directory: string;
}

export interface Tables {
  live: Table;
  history: Table;
  dimensions: number;
}

/** One address: `<directory>/<tenant>/<generation>` with the tables `live` and `history`. */
export class Partition {
  readonly gate = new ReadWriteGate();
  private connection: Connection | null = null;
  private tables: Promise<Tables> | null = null;
  private tail: Promise<void> = Promise.resolve();

  constructor(readonly directory: string) {}

  /** Null when `ensureIndex` was never called. */
  async open(): Promise<Tables | null> {
    if (!this.tables) {
      // Both must be there: a crash may have come between them. History is made first.
      if (!existsSync(join(this.directory, 'live.lance'))) return null;
      this.tables = this.openTables();
      this.tables.catch(() => (this.tables = null));
    }
    return this.tables;
  }

  async create(dimensions: number): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    const connection = await this.connect();
    for (const name of ['history', 'live']) {
      const table = existsSync(join(this.directory, `${name}.lance`))
        ? await connection.openTable(name)
        : await connection.createEmptyTable(name, buildSchema(dimensions));
      // A crash may have come between the table and its indices.
      if ((await table.listIndices()).length < INDEX_COUNT) {
        await buildScalarIndices(table);
        await buildTextIndex(table);
      }
      table.close();
    }
    const tables = await this.open();
    if (tables && tables.dimensions !== dimensions) throw profileMismatch(tables.dimensions, dimensions);
  }

  async drop(): Promise<void> {
    await this.gate.alone(async () => {
      await this.close();
      await rm(this.directory, { recursive: true, force: true });
      await removeIfEmpty(dirname(this.directory));
    });
  }

  /** Writes take turns: two plans made on the same state would undo each other. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.tail.then(work);
    this.tail = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  async close(): Promise<void> {
    const tables = await this.tables?.catch(() => null);
    tables?.live.close();
    tables?.history.close();
    this.connection?.close();
    this.tables = null;
    this.connection = null;
  }

  private async connect(): Promise<Connection> {
    // 0: every read looks for a newer version, so another process's writes are seen at once too.
    this.connection ??= await connect(this.directory, { readConsistencyInterval: 0 });
    return this.connection;
  }

  private async openTables(): Promise<Tables> {
    const connection = await this.connect();
    const history = await connection.openTable('history');
    const live = await connection.openTable('live');
    return { live, history, dimensions: schemaDimensions(await live.schema()) };
  }
}

const INDEX_COUNT = 4;

export async function buildScalarIndices(table: Table): Promise<void> {
  await table.createIndex('grants', { config: Index.labelList(), replace: true });
  await table.createIndex('chunkId', { config: Index.btree(), replace: true });
  await table.createIndex('itemId', { config: Index.btree(), replace: true });
}

/** Stop words stay: removing them costs 0.003 nDCG@10 on SciFact train, and most texts here are not only English. */
export async function buildTextIndex(table: Table): Promise<void> {
  const text = Index.fts({
    baseTokenizer: 'simple',
    language: 'English',
    lowercase: true,
    stem: true,
    removeStopWords: false,
    asciiFolding: true,
    withPosition: false,
  });
  await table.createIndex('searchText', { config: text, replace: true });
}

/** The tenant's own folder bears its id: with the last generation it goes as well. */
async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** All partitions of a directory, shared by every reader and writer of this process, so they see each other. */
export class LanceDbStore {
  private static readonly open = new Map<string, LanceDbStore>();
  private readonly partitions = new Map<string, Partition>();
  private holders = 0;

  private constructor(private readonly directory: string) {}

  static acquire(options: LanceDbOptions): LanceDbStore {
    const directory = resolve(options.directory);
    let store = LanceDbStore.open.get(directory);
    if (!store) LanceDbStore.open.set(directory, (store = new LanceDbStore(directory)));
    store.holders += 1;
    return store;
  }

  partition(address: IndexAddress): Partition {
    assertAddress(address);
    const path = join(this.directory, address.tenantId, address.generation);
    let partition = this.partitions.get(path);
    if (!partition) this.partitions.set(path, (partition = new Partition(path)));
    return partition;
  }

  async release(): Promise<void> {
    this.holders -= 1;
    if (this.holders > 0) return;
    LanceDbStore.open.delete(this.directory);
    const partitions = [...this.partitions.values()];
    await Promise.all(partitions.map((each) => each.inTurn(() => each.gate.alone(() => each.close()))));
  }
}
