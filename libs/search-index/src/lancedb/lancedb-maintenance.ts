import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Table } from '@lancedb/lancedb';
import { buildScalarIndices, buildTextIndex, type Partition, type Tables } from './lancedb-store.js';
import { sqlColumn } from './sql.js';

/**
 * Rows outside the text index are scanned by every query, and LanceDB (to 0.31) counts their words as documents:
 * a word used more often in them than the table has rows is not found. So a small table is indexed at every write,
 * a large one when the new rows are a share of it, which keeps the total cost of rewriting linear.
 */
const SMALL_TABLE_ROWS = 1_000;
const UNINDEXED_SHARE = 0.1;
/** Every write adds a version and a fragment. */
const MAX_WRITES = 64;
/** Quiet time after which what has gathered is put in order. */
const IDLE_MS = 2_000;

type TableName = 'live' | 'history';
const TABLE_NAMES: readonly TableName[] = ['live', 'history'];
export type TouchedRows = Record<TableName, number>;

const PURGE_MARKER = 'purge-pending';

/** Rows touched since a table was last compacted, and in how many applies. */
interface Backlog {
  rows: number;
  writes: number;
}

/** When to compact a partition's tables, and how to make deleted rows leave the disk. Called in the writer's turn. */
export class LanceDbMaintenance {
  private readonly backlogs: Record<TableName, Backlog> = {
    live: { rows: 0, writes: 0 },
    history: { rows: 0, writes: 0 },
  };
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly partition: Partition) {}

  /** After each apply, with the rows it touched: compacts when enough has gathered, else when the writer is idle. */
  async afterWrite(tables: Tables, touched: TouchedRows): Promise<void> {
    this.stop();
    for (const name of TABLE_NAMES) {
      const backlog = this.backlogs[name];
      if (touched[name] === 0) continue;
      backlog.rows += touched[name];
      backlog.writes += 1;
      if (await isDue(tables[name], backlog)) await this.compact(tables, name);
    }
    if (TABLE_NAMES.every((name) => this.backlogs[name].writes === 0)) return;
    this.timer = setTimeout(() => {
      // A failure here costs speed, not truth; the next write tries again and reports its own.
      void this.partition.inTurn(() => this.compactAll(tables)).catch(() => {});
    }, IDLE_MS);
    this.timer.unref();
  }

  /** Deletes are marked on disk first, so a crash can't make an unpurged one look certified. */
  async markDeletes(): Promise<void> {
    await writeFile(join(this.partition.directory, PURGE_MARKER), '');
  }

  /**
   * Makes rows deleted so far unrecoverable. A delete only marks rows, compaction leaves fragments with few marks
   * alone, and the indices keep the values; so all rows are rewritten, the indices built anew, old files removed.
   */
  async purge(tables: Tables): Promise<void> {
    const marker = join(this.partition.directory, PURGE_MARKER);
    if (!existsSync(marker)) return;
    this.stop();
    for (const table of [tables.live, tables.history]) {
      await table.update({ where: 'true', valuesSql: { version: sqlColumn('version') } });
      await buildScalarIndices(table);
    }
    for (const name of TABLE_NAMES) await this.compact(tables, name);
    await rm(marker, { force: true });
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private async compactAll(tables: Tables): Promise<void> {
    for (const name of TABLE_NAMES) if (this.backlogs[name].writes > 0) await this.compact(tables, name);
  }

  private async compact(tables: Tables, name: TableName): Promise<void> {
    const table = tables[name];
    // Built anew, so that `optimize` has nothing to merge into it: Lance 7's merge of text indices can panic.
    await buildTextIndex(table);
    await table.optimize();
    // The slow part is done; readers only wait while the old files go.
    await this.partition.gate.alone(() => table.optimize({ cleanupOlderThan: new Date(), deleteUnverified: true }));
    this.backlogs[name] = { rows: 0, writes: 0 };
  }
}

async function isDue(table: Table, backlog: Backlog): Promise<boolean> {
  if (backlog.writes >= MAX_WRITES) return true;
  const rows = await table.countRows();
  return rows <= SMALL_TABLE_ROWS || backlog.rows >= rows * UNINDEXED_SHARE;
}
